// Search, filters and order of a batch's page. Without it the page has the same tables.
"use strict";
(() => {
  // Numbers as a cell's data-value has them, texts as people count: layer_2 before layer_10.
  const collator = new Intl.Collator("en", { numeric: true });
  const keyOf = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const compare = (column, isNumber) => (a, b) => isNumber
    ? Number(keyOf(a, column)) - Number(keyOf(b, column))
    : collator.compare(keyOf(a, column), keyOf(b, column));

  function makeSortable(table) {
    const [head, ...rows] = table.rows;
    const body = table.tBodies[0];
    const first = rows.slice();
    [...head.cells].forEach((cell, column) => {
      if (cell.textContent === "") return;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = cell.textContent;
      cell.replaceChildren(button);
      const isNumber = cell.classList.contains("number");
      button.addEventListener("click", () => {
        // Numbers begin with the greatest; the third click brings back the first order.
        const orders = isNumber ? ["descending", "ascending"] : ["ascending", "descending"];
        const next = orders[orders.indexOf(cell.ariaSort) + 1];
        for (const other of head.cells) other.removeAttribute("aria-sort");
        if (next === undefined) {
          body.append(...first);
          return;
        }
        cell.setAttribute("aria-sort", next);
        const sorted = first.slice().sort(compare(column, isNumber));
        body.append(...(next === "ascending" ? sorted : sorted.reverse()));
      });
    });
  }
  for (const table of document.querySelectorAll("table.pairs")) makeSortable(table);

  const tools = document.getElementById("tools");
  const all = document.querySelector("table.all");
  if (!tools || !all) return;
  const rows = [...all.rows].slice(1);
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const search = tools.querySelector("input");
  const select = tools.querySelector("select");
  const count = tools.querySelector("[role=status]");
  for (const verdict of [...new Set(rows.map((row) => row.dataset.verdict))].sort()) {
    select.append(new Option(verdict, verdict));
  }
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    rows.forEach((row, i) => {
      const wanted = select.value === "" || row.dataset.verdict === select.value ||
        (select.value === "unexpected" && "unexpected" in row.dataset);
      row.hidden = !wanted || !words.every((word) => texts[i].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} pairs`;
  }
  search.addEventListener("input", filter);
  select.addEventListener("input", filter);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select")) return;
    event.preventDefault();
    search.focus();
  });
  tools.hidden = false;
})();
