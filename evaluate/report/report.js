"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  // Every text goes into the page as text, never as markup.
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null && child !== undefined).map((child) => (child instanceof Node ? child : String(child))));
    return element;
  }

  // A head that begins with # is of numbers, one that begins with ~ of short texts that are not broken.
  function table(caption, heads, rows) {
    const titles = heads.map((head) => head.replace(/^[#~](?=.)/, ""));
    const kind = (at) => (heads[at].startsWith("#") ? { class: "n" } : heads[at].startsWith("~") ? { class: "tight" } : { class: "long" });
    const head = make("tr", { role: "row" }, ...titles.map((title, at) => make("th", { ...kind(at), scope: "col", role: "columnheader" }, title)));
    const line = ({ cells, right }) => make("tr", right ? { class: "right", role: "row" } : { role: "row" }, ...cells.map((cell, at) => make("td", { ...kind(at), role: "cell", "data-label": titles[at] }, make("div", { dir: "auto" }, cell, at === 0 && right ? make("span", { class: "aloud" }, ", the labelled paragraph") : null))));
    const body = make("table", { class: "cards", role: "table" }, make("caption", { class: "aloud" }, caption), make("thead", { role: "rowgroup" }, head), make("tbody", { role: "rowgroup" }, ...rows.map(line)));
    return make("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": caption }, body);
  }

  function facts(pairs) {
    return make("dl", {}, ...pairs.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", {}, name), make("dd", { dir: "auto" }, value)]));
  }

  const percent = (share) => `${(100 * share).toFixed(1)}%`;
  const place = (item) => `${item.document} p${item.page}`;
  const placeOf = (index) => `${data.shared[index][0]} p${data.shared[index][1]}`;
  const sentenceOf = (index) => data.shared[index][2];

  function hits(found) {
    return table("Hits", ["#", "~slot", "~by", "#relevance", "~where", "opening sentence", "why"], found.map(([at, right, paragraph, slot, strategy, rank, relevance, why]) => ({ right, cells: [at, slot, `${strategy} ${rank}`, relevance.toFixed(3), placeOf(paragraph), sentenceOf(paragraph), data.shared[why]] })));
  }

  function belief(play) {
    const bar = (share, kind) => make("span", {}, make("span", { class: `bar ${kind}`, style: `width:${(6 * share).toFixed(3)}em` }), percent(share));
    return table("Belief", ["#", "~before", "~after", "~slot", "~where", "opening sentence"], play.candidates.map(([at, right, paragraph, slot, strategy, prior, after]) => ({ right, cells: [at, bar(prior, "before"), bar(after, ""), `${slot} ${strategy}`, placeOf(paragraph), sentenceOf(paragraph)] })));
  }

  // In a question's wording private characters take the place of its options.
  const worded = ([wording, ...options]) => [data.shared[wording].replace(/[\ue000-\ue003]/g, (char) => options[char.charCodeAt(0) - 0xe000] ?? char), ...options];

  function questions(asked, answers) {
    const letters = "ABCD";
    const same = new Set(asked.map(([text]) => text)).size === 1;
    const list = make("ol", {}, ...asked.map(([text, ...options], row) => make("li", { dir: "auto" }, same ? null : `${text} `, ...options.map((option, at) => make("span", { class: answers[row] === letters[at] ? "option given" : "option" }, `${letters[at]} ${option}`)), letters.includes(answers[row] || "-") ? null : make("em", {}, answers[row] || "no answer"))));
    return make("div", {}, same && asked.length ? make("p", { dir: "auto" }, asked[0][0]) : null, list);
  }

  function opened(name, game, colour) {
    const box = make("div", { class: "run-of", style: `border-color:${colour}` }, make("h3", {}, name));
    const { book: found, answered_by, failures } = game.search;
    const book = found ? `${found.document} (${found.tier}, confidence ${found.confidence.toFixed(2)})` : "none";
    box.append(facts([["outcome", game.outcomes.join("; ")], ["book resolved", book], ["answered by", answered_by], ["failures", failures.join("; ")]]));
    box.append(make("h4", {}, "Hits"), hits(game.hits));
    if (game.play) {
      const play = game.play;
      box.append(make("h4", {}, "Questions and answers"), questions(data.shared[game.questions].map(worded), play.answers));
      box.append(make("h4", {}, `Belief over ${play.n_candidates} candidates: ${play.bits[0].toFixed(1)} bits of doubt before the answers, ${play.bits[1].toFixed(1)} after`), belief(play));
      const parts = Object.entries(play.breakdown).map(([part, points]) => `${part.replaceAll("_", " ")} ${points}`).join(", ");
      box.append(make("h4", {}, "Guess"), facts([["sentence", play.guess.opening_sentence], ["because", play.guess.sentence_justification], ["word", play.guess.associative_word], ["because", play.guess.word_justification], ["confidence", percent(play.guess.confidence)], ["score", `${play.private_score} of 100 (${parts})`]]));
    }
    return box;
  }

  function detail(gameId, width) {
    const runs = data.games[gameId];
    const first = data.shared[runs.find((game) => game).game];
    const cell = make("td", { colspan: width, role: "cell" });
    cell.append(facts([["hint", first.hint], ["book name", first.book_name], ["domain", first.association_domain], ["associative word", first.associative_word], ["stands in", first.truth ? place(first.truth) : "no paragraph of the store"]]));
    if (first.truth) cell.append(make("blockquote", { dir: "auto" }, first.truth.text));
    runs.forEach((game, row) => game && cell.append(opened(data.runs[row], game, data.colours[row % data.colours.length])));
    return make("tr", { class: "detail", role: "row" }, cell);
  }

  function toggle(button) {
    const row = button.closest("tr");
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) row.nextElementSibling.remove();
    else row.after(detail(row.dataset.game, row.children.length));
  }

  const value = (row, column) => {
    const cell = row.children[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = Number.parseFloat(text);
    return /^[-+]?[\d.]+/.test(text) && !Number.isNaN(number) ? number : text.toLowerCase();
  };

  function sort(head, column) {
    const body = head.closest("table").tBodies[0];
    body.querySelectorAll(".open[aria-expanded=true]").forEach(toggle);
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const order = [...body.rows].map((row, at) => ({ row, at, key: value(row, column) }));
    const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
    order.sort((a, b) => (down ? -1 : 1) * compare(a.key, b.key) || a.at - b.at);
    body.append(...order.map(({ row }) => row));
  }

  document.querySelectorAll("table.sortable").forEach((found) => {
    [...found.tHead.rows[0].cells].forEach((head, column) => {
      const button = make("button", { type: "button" }, ...head.childNodes);
      button.addEventListener("click", () => sort(head, column));
      head.append(button);
    });
  });

  function findGames(found) {
    const games = found.tBodies[0];
    games.addEventListener("click", (event) => event.target.matches(".open") && toggle(event.target));
    const find = document.getElementById("find");
    const fate = document.getElementById("fate");
    function filter() {
      games.querySelectorAll(".open[aria-expanded=true]").forEach(toggle);
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of games.rows) {
        const text = row.textContent.toLowerCase();
        const fates = row.dataset.fates.split(" ").filter(Boolean);
        const wanted = !fate.value || (fate.value === "lost" ? fates.some((one) => one !== "held") : fates.includes(fate.value));
        row.hidden = !(wanted && words.every((word) => text.includes(word)));
        shown += row.hidden ? 0 : 1;
      }
      document.getElementById("count").textContent = `${shown} of ${games.rows.length} games`;
    }
    find.addEventListener("input", filter);
    fate.addEventListener("change", filter);
    filter();
  }
  findGames(document.getElementById("games"));

  // On a dark screen every colour of a plot becomes its counterpart; paper is light.
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function coloured(figure, inDark) {
    if (!inDark) return figure;
    return JSON.parse(JSON.stringify(figure), (_, found) => (typeof found === "string" && Object.hasOwn(data.dark, found) ? data.dark[found] : found));
  }
  // On a narrow screen long names beside an axis leave room for what is drawn.
  const LONGEST = 14;
  function fitted(figure, width) {
    const names = [...new Set(figure.data.flatMap((trace) => (typeof trace.y?.[0] === "string" ? trace.y : [])))];
    if (width >= 500 || !names.length) return figure;
    const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
    return { data: figure.data, layout: { ...figure.layout, yaxis: { ...figure.layout.yaxis, tickvals: names, ticktext: names.map(short) } } };
  }
  function draw(inDark) {
    document.querySelectorAll(".plot").forEach((element) => {
      const figure = fitted(coloured(data.figures[element.dataset.figure], inDark), element.clientWidth);
      Plotly.react(element, figure.data, figure.layout, { responsive: true, displaylogo: false, displayModeBar: false });
    });
  }
  draw(dark.matches);
  dark.addEventListener("change", () => draw(dark.matches));
  window.addEventListener("beforeprint", () => {
    draw(false);
    document.querySelectorAll("details").forEach((element) => { element.open = true; });
    document.querySelectorAll(".plot").forEach((element) => Plotly.Plots.resize(element));
  });
  window.addEventListener("afterprint", () => draw(dark.matches));
})();
