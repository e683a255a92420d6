package javax.annotation;

/** Stands in for the annotation of javax.annotation-api, which the Java platform had until version 11. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
