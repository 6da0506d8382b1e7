ARG PYTHON_VERSION=3.11

# The dependencies, in an environment of their own: this layer stays while pyproject.toml does.
FROM python:${PYTHON_VERSION}-slim AS dependencies
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
COPY pyproject.toml app/deploy/locked.txt ./
# Everything beside torch is installed from files whose hashes locked.txt names (`make lock`). torch is a CPU
# build where one can be had (as in the Makefile), else the package index's own: which file that is differs by
# platform, so its hash is yours to give: --build-arg TORCH=torch==X.Y.Z --build-arg TORCH_HASH=….
# Its C++ headers, static libraries, own tests and programs go: nothing here builds extensions, and importing
# it asks only for torch_shm_manager.
ARG TORCH=""
ARG TORCH_HASH=""
RUN python -m venv --without-pip /opt/venv \
 && python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > requirements.txt \
 && pip="python -m pip --python /opt/venv/bin/python install" \
 && torch="${TORCH:-$(grep '^torch' requirements.txt)}" \
 && echo "$torch${TORCH_HASH:+ --hash=sha256:$TORCH_HASH}" > torch.txt \
 && { $pip --no-deps --no-index -r torch.txt 2>/dev/null \
   || $pip --no-deps --retries 0 --timeout 10 --index-url https://download.pytorch.org/whl/cpu -r torch.txt \
   || { [ -z "$TORCH_HASH" ] && echo 'No CPU build of torch at hand' && $pip "$torch"; }; } \
 && $pip --require-hashes --no-deps -r locked.txt \
 && $pip --dry-run --no-index -r requirements.txt \
 && rm -rf /opt/venv/lib/python*/site-packages/torch/include /opt/venv/lib/python*/site-packages/torch/test \
 && find /opt/venv/lib/python*/site-packages/torch/bin -type f ! -name torch_shm_manager -delete \
 && find /opt/venv -name '*.a' -delete

FROM python:${PYTHON_VERSION}-slim
LABEL org.opencontainers.image.title="attention-visualiser" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN python -m pip uninstall --yes --quiet --root-user-action=ignore pip setuptools wheel \
 && useradd --uid 10001 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin app
COPY --from=dependencies /opt/venv /opt/venv
WORKDIR /srv/attention-visualiser
COPY LICENSE ./
COPY templates ./templates
COPY static ./static
COPY attention ./attention
COPY app ./app
RUN /opt/venv/bin/python -m compileall -q attention app
# Only uploads are written, below /tmp: the file system may be read-only, and with a --tmpfs /tmp beside it
# uploads are taken too.
ENV PATH=/opt/venv/bin:$PATH \
    ATTENTION_UPLOAD_DIR=/tmp/attention-uploads \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    ATTENTION_LOG_FORMAT=json \
    HOST=0.0.0.0 \
    PORT=8000
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
CMD ["python", "-m", "app"]
