// Before anything is drawn, so that nobody is dazzled at night.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("flagstone.scheme");
  } catch (refused) {
    chosen = null;
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
  // Who comes in, or is marked as having no session and thus led to do so, sees no frame around it.
  var isNobody = document.querySelector("meta[name=flagstone-session]") !== null;
  if (isNobody || /\/(sign-in|join|reset|forgotten)$/.test(location.pathname))
    document.documentElement.setAttribute("data-entrance", "");
})();
