package com.fasterxml.jackson.datatype.jsr310.deser;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import java.io.IOException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAccessor;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Stands in for the class of jackson-datatype-jsr310, which Debian does not have: enough to compile against. */
public class InstantDeserializer<T extends Temporal> extends JsonDeserializer<T> {
    private final Function<TemporalAccessor, T> parse;
    private final DateTimeFormatter formatter;

    protected InstantDeserializer(
            Class<T> type,
            DateTimeFormatter formatter,
            Function<TemporalAccessor, T> parse,
            Function<FromIntegerArguments, T> fromMilliseconds,
            Function<FromDecimalArguments, T> fromNanoseconds,
            BiFunction<T, ZoneId, T> adjust,
            boolean replaceZeroOffset,
            boolean normalizeZone,
            boolean readNumericStrings) {
        this.formatter = formatter;
        this.parse = parse;
    }

    @Override
    public T deserialize(JsonParser parser, DeserializationContext context) throws IOException {
        return _fromString(parser, context, parser.getText());
    }

    protected T _fromString(JsonParser parser, DeserializationContext context, String text) throws IOException {
        return formatter.parse(text, parse::apply);
    }

    public static class FromIntegerArguments {
        public long value;
        public ZoneId zoneId;
    }

    public static class FromDecimalArguments {
        public long integer;
        public int fraction;
        public ZoneId zoneId;
    }
}
