package com.fasterxml.jackson.datatype.jsr310;

/** Stands in for the class of jackson-datatype-jsr310, which Debian does not have: enough to compile against. */
public class JavaTimeModule extends com.fasterxml.jackson.databind.module.SimpleModule {
    private static final long serialVersionUID = 1L;
}
