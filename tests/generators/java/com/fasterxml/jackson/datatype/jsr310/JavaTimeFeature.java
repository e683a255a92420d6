package com.fasterxml.jackson.datatype.jsr310;

/** Stands in for the enum of jackson-datatype-jsr310, which Debian does not have: enough to compile against. */
public enum JavaTimeFeature {
    NORMALIZE_DESERIALIZED_ZONE_ID,
    ALWAYS_ALLOW_STRINGIFIED_DATE_TIMESTAMPS;

    public boolean enabledByDefault() {
        return this == NORMALIZE_DESERIALIZED_ZONE_ID;
    }
}
