// Keys of the question page, and passages that light up on the page's picture.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const button = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (button) { event.preventDefault(); button.click(); }
  const page = { ArrowLeft: "#previous", ArrowRight: "#next" }[event.key];
  if (page) document.querySelector(page)?.click();
});
function light(mark, on) {
  document.querySelectorAll(`[data-mark="${CSS.escape(mark)}"]`).forEach((piece) => piece.classList.toggle("lit", on));
}
for (const kind of ["mouseover", "mouseout", "focusin", "focusout"]) {
  document.addEventListener(kind, (event) => {
    const piece = event.target.closest("[data-mark]");
    if (piece) light(piece.dataset.mark, kind === "mouseover" || kind === "focusin");
  });
}
document.addEventListener("click", (event) => {
  const piece = event.target.closest("svg [data-mark]");
  if (piece) document.getElementById(piece.dataset.mark)?.scrollIntoView({ behavior: "smooth", block: "center" });
});
