// Keys of the question page, paragraphs that light up on the page's picture, and tables that a click sorts.
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
document.querySelectorAll("table.sortable thead th").forEach((head, column) => {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const body = head.closest("table").tBodies[0];
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = (row) => row.children[column].textContent.trim();
    const rows = [...body.rows].sort((a, b) => text(a).localeCompare(text(b), undefined, { numeric: true }));
    body.append(...(down ? rows.reverse() : rows));
  });
});
