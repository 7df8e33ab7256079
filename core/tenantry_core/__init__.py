"""The scheduling engine: watch, cache, queue, cycle, bind. Imports only `tenantry_telemetry.api` of its siblings."""
