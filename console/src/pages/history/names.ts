/** A text as the name of a feature, where it can be one. */
export const asName = (text: string): string[] => (/^[\w.!~*'()-]{1,100}$/.test(text.trim()) ? [text.trim()] : []);

/** The filter of the search for events about any of these features. */
export const namesFilter = (names: readonly string[]) => (names.length ? `IS_ANY_OF:${names.join(",")}` : undefined);
