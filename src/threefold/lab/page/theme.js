// @ts-check
// Before anything is painted: the theme that was chosen here. System is the default.
{
  const chosen = localStorage.getItem("threefold-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
