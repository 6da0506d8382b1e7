// @ts-check
/** The API page: Swagger UI from this server, on this server's OpenAPI document. */

const { SwaggerUIBundle } = /** @type {any} */ (window);

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
});
