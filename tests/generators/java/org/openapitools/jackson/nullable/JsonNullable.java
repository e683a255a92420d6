package org.openapitools.jackson.nullable;

/** Stands in for the class of jackson-databind-nullable, which Debian does not have: enough to compile against. */
public final class JsonNullable<T> {
    private final boolean present;
    private final T value;

    private JsonNullable(boolean present, T value) {
        this.present = present;
        this.value = value;
    }

    public static <T> JsonNullable<T> undefined() {
        return new JsonNullable<>(false, null);
    }

    public static <T> JsonNullable<T> of(T value) {
        return new JsonNullable<>(true, value);
    }

    public boolean isPresent() {
        return present;
    }

    public T get() {
        return value;
    }

    public T orElse(T other) {
        return present ? value : other;
    }
}
