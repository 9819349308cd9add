// Sorts and filters tables, copies commands, and shows the texts of marks at the pointer. The page reads without it.
// Neither the less-than sign nor the ampersand occurs: a page is well-formed XML as well.
(function () {
  "use strict";

  function valueOf(row, column) {
    var cell = row.cells[column];
    var raw = cell.getAttribute("data-v");
    var number = raw === null ? NaN : parseFloat(raw);
    return isNaN(number) ? cell.textContent.trim() : number;
  }

  function compare(a, b) {
    var numbers = [typeof a === "number", typeof b === "number"];
    if (numbers[0] !== numbers[1]) { return numbers[0] ? -1 : 1; }
    if (!numbers[0]) { return a.localeCompare(b, "en", { numeric: true }); }
    return a - b;
  }

  function makeSortable(table) {
    var body = table.tBodies[0];
    var heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) { button.appendChild(head.firstChild); }
      head.appendChild(button);
      button.addEventListener("click", function () {
        var up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        var rows = Array.from(body.rows);
        rows.sort(function (a, b) {
          return (up ? 1 : -1) * compare(valueOf(a, column), valueOf(b, column));
        });
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  }

  function makeFilterable(table) {
    var rows = Array.from(table.tBodies[0].rows);
    if (5 > rows.length) { return; }
    var label = document.createElement("label");
    var input = document.createElement("input");
    var count = document.createElement("output");
    label.className = "filter screen";
    label.append("Filter ", input, " ", count);
    input.type = "search";
    input.placeholder = "words that a row has";
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      rows.forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.includes(word); });
        shown += row.hidden ? 0 : 1;
      });
      count.textContent = words.length ? shown + " of " + rows.length : "";
    });
    table.closest(".scroll").before(label);
  }

  document.querySelectorAll("table.filterable").forEach(makeFilterable);
  document.querySelectorAll("table.sortable").forEach(makeSortable);

  document.querySelectorAll("pre.command").forEach(function (command) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy screen";
    button.textContent = "Copy";
    button.addEventListener("click", function () {
      var range = document.createRange();
      range.selectNodeContents(command.querySelector("code"));
      window.getSelection().removeAllRanges();
      window.getSelection().addRange(range);
      // Works in a file as well; where it does not, the command is selected.
      button.textContent = document.execCommand("copy") ? "Copied" : "Copy";
    });
    command.appendChild(button);
  });

  var tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.appendChild(tip);
  document.querySelectorAll("figure svg title").forEach(function (title) {
    title.parentNode.setAttribute("data-tip", title.textContent);
    title.remove();
  });
  function show(event) {
    var mark = event.target.closest ? event.target.closest("[data-tip]") : null;
    tip.hidden = !mark;
    if (!mark) { return; }
    tip.textContent = mark.getAttribute("data-tip");
    var right = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, right)) + "px";
    tip.style.top = Math.max(4, event.clientY - tip.offsetHeight - 12) + "px";
  }
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
}());
