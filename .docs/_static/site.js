// What the theme leaves without a name for who listens: the folds of the navigation; and the search button is named by its text.
document.addEventListener("DOMContentLoaded", () => {
  for (const fold of document.querySelectorAll("nav summary:not([aria-label])")) {
    const link = fold.closest("li")?.querySelector("a");
    fold.setAttribute("aria-label", `Pages of ${link?.textContent.trim() ?? "this part"}`);
  }
  for (const button of document.querySelectorAll(".search-button-field[aria-label]")) {
    button.removeAttribute("aria-label");
  }
});
