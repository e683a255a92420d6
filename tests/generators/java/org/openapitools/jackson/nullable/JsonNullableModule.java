package org.openapitools.jackson.nullable;

/** Stands in for the class of jackson-databind-nullable, which Debian does not have: enough to compile against. */
public class JsonNullableModule extends com.fasterxml.jackson.databind.module.SimpleModule {
    private static final long serialVersionUID = 1L;
}
