/** What the button of a form says where changes need approval. */
export const addToDraft = "Add to draft";
