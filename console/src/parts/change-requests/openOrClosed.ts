/** Change requests that wait for something, and those that are over. */
export const openOrClosed = [
  { value: "open", label: "Open" },
  { value: "closed", label: "Closed" },
];
