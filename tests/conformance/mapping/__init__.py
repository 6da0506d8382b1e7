"""From the conventions of each outside source to the specification of our API."""
