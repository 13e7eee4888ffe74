"use strict";
(async () => {
  // The data is JSON, compressed with gzip, in base64.
  const bytes = Uint8Array.from(atob(document.getElementById("data").textContent), (char) => char.charCodeAt(0));
  const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();

  // The colours of runs and steps, each with its colour on a dark ground (after Okabe and Ito).
  const RUNS = [["#0b5fa5", "#5aa9e6"], ["#c2510c", "#f08a4b"], ["#2b8a5b", "#5cc795"], ["#8a3ea8", "#c58be0"], ["#9a7400", "#d9b64a"], ["#b3245e", "#f07aa8"], ["#4a5568", "#a3b1c2"], ["#007d8a", "#4cc3cf"]];
  const STEPS = { found: RUNS[2], answers: RUNS[4], label: RUNS[5], search: RUNS[1], book: RUNS[3], ingest: RUNS[6] };
  const INK = ["#1f2933", "#e4e9ee"];
  const GRID = ["#e3e8ee", "#33404d"];

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

  function hits(found) {
    return table("Hits", ["#", "~slot", "~by", "#relevance", "~where", "opening sentence", "why"], found.map((hit) => ({ right: hit.right, cells: [hit.overall_rank, hit.slot, `${hit.strategy} ${hit.rank}`, hit.relevance.toFixed(3), place(hit), hit.opening_sentence, hit.why] })));
  }

  function belief(play) {
    const bar = (share, kind) => make("span", {}, make("span", { class: `bar ${kind}`, style: `width:${(6 * share).toFixed(3)}em` }), percent(share));
    return table("Belief", ["#", "~before", "~after", "~slot", "~where", "opening sentence"], play.candidates.map((item) => ({ right: item.right, cells: [item.overall_rank, bar(item.prior, "before"), bar(item.belief, ""), `${item.slot} ${item.strategy}`, place(item), item.opening_sentence] })));
  }

  // An answer that fits the labelled paragraph has a tick, one that does not a cross and a wavy line.
  function option(question, letter, text, play) {
    if (play.answers[question.question_number - 1] !== letter) return make("span", { class: "option" }, `${letter} ${text}`);
    if (!play.unfit) return make("span", { class: "option given" }, `${letter} ${text}`);
    const [kind, mark, words] = play.unfit.includes(question.question_number) ? ["unfit", "✗", "does not fit: "] : ["fits", "✓", "fits: "];
    return make("span", { class: `option given ${kind}` }, make("span", { "aria-hidden": "true" }, `${mark} `), make("span", { class: "aloud" }, words), `${letter} ${text}`);
  }

  function questions(asked, play) {
    const letters = "ABCD";
    const same = new Set(asked.map((question) => question.question_text)).size === 1;
    const list = make("ol", {}, ...asked.map((question, row) => make("li", { dir: "auto" }, same ? null : `${question.question_text} `, ...Object.values(question.options).map((text, at) => option(question, letters[at], text, play)), letters.includes(play.answers[row] || "-") ? null : make("em", {}, play.answers[row] || "no answer"))));
    const key = play.unfit ? make("p", { class: "none" }, "✓ fits the labelled paragraph, ✗ does not") : null;
    return make("div", {}, key, same && asked.length ? make("p", { dir: "auto" }, asked[0].question_text) : null, list);
  }

  function opened(name, game, colour) {
    const box = make("div", { class: "run-of", style: `border-color:${colour}` }, make("h3", {}, name));
    const { book: found, answered_by, failures } = game.search;
    const book = found ? `${found.document} (${found.tier}, confidence ${found.confidence.toFixed(2)})` : "none";
    box.append(facts([...game.explanation.map((line) => ["outcome", line]), ["book resolved", book], ["answered by", answered_by], ["failures", failures.join("; ")]]));
    box.append(make("h4", {}, "Hits"), hits(game.search.hits));
    if (game.play) {
      const play = game.play;
      box.append(make("h4", {}, "Questions and answers"), questions(game.questions, play));
      box.append(make("h4", {}, `Belief over ${play.n_candidates} candidates: ${play.bits[0].toFixed(1)} bits of doubt before the answers, ${play.bits[1].toFixed(1)} after`), belief(play));
      const parts = Object.entries(play.breakdown).map(([part, points]) => `${part.replaceAll("_", " ")} ${points}`).join(", ");
      box.append(make("h4", {}, "Guess"), facts([["sentence", play.guess.opening_sentence], ["because", play.guess.sentence_justification], ["word", play.guess.associative_word], ["because", play.guess.word_justification], ["confidence", percent(play.guess.confidence)], ["score", `${play.private_score} of 100 (${parts})`]]));
    }
    return box;
  }

  function detail(gameId, width) {
    const runs = data.games[gameId];
    const first = runs.find((game) => game);
    const cell = make("td", { colspan: width, role: "cell" });
    cell.append(facts([["hint", first.hint], ["book name", first.book_name], ["domain", first.association_domain], ["associative word", first.associative_word], ["paragraph of", first.truth ? place(first.truth) : "no paragraph of the store"]]));
    if (first.truth) cell.append(make("blockquote", { dir: "auto" }, first.truth.text));
    runs.forEach((game, row) => game && cell.append(opened(data.runs[row], game, RUNS[row % RUNS.length][0])));
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
        const wanted = !fate.value || (fate.value === "lost" ? fates.some((one) => one !== "found") : fates.includes(fate.value));
        row.hidden = !(wanted && words.every((word) => text.includes(word)));
        shown += row.hidden ? 0 : 1;
      }
      document.getElementById("count").textContent = `${shown} of ${games.rows.length} games`;
    }
    find.addEventListener("input", filter);
    fate.addEventListener("change", filter);
    if (window.location.hash === "#lost-games") {
      fate.value = "lost";
      find.scrollIntoView();
    }
    filter();
  }
  findGames(document.getElementById("games"));

  // Plotly reads tags and entities in names.
  const escaped = (text) => (typeof text === "string" ? text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") : text);
  // On a narrow screen long names beside an axis leave room for what is drawn.
  const LONGEST = 14;
  const short = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
  const PLOTS = {
    success: { x: "k: the first k hits", y: "share of games", mode: "lines+markers" },
    lost: { x: "games", y: "", rows: data.runs },
  };

  function trace(one, at, plot, tone) {
    const found = { name: escaped(one.name), x: one.x, y: one.y.map(escaped) };
    if (one.step) return { ...found, type: "bar", orientation: "h", text: one.x, textangle: 0, marker: { color: STEPS[one.step][tone] } };
    const color = RUNS[at % RUNS.length][tone];
    const bars = { type: "data", symmetric: false, thickness: 1, array: one.ends.map(([, high], row) => high - one.y[row]), arrayminus: one.ends.map(([low], row) => one.y[row] - low) };
    return { ...found, type: "scatter", mode: plot.mode, line: { color, width: 2 }, marker: { color, size: 6 }, error_y: bars };
  }

  function layout(plot, tone, width) {
    const axis = { gridcolor: GRID[tone], zeroline: false, automargin: true };
    const names = [...new Set(plot.rows)];
    const y = plot.rows ? { autorange: "reversed", showgrid: false } : { range: [0, 1] };
    const ticks = plot.rows && width < 500 ? { tickvals: names.map(escaped), ticktext: names.map((name) => escaped(short(name))) } : {};
    return {
      font: { family: "system-ui, sans-serif", size: 13, color: INK[tone] },
      margin: { l: 56, r: 12, t: 8, b: 48 },
      height: plot.rows ? 140 + 34 * names.length : 340,
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
      barmode: "stack",
      showlegend: true,
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      dragmode: false,
      xaxis: { ...axis, title: { text: plot.x } },
      yaxis: { ...axis, title: { text: plot.y }, ...y, ...ticks },
    };
  }

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  function draw(inDark) {
    const tone = inDark ? 1 : 0;
    document.querySelectorAll(".plot").forEach((element) => {
      const name = element.dataset.figure;
      const traces = data.plots[name].map((one, at) => trace(one, at, PLOTS[name], tone));
      Plotly.react(element, traces, layout(PLOTS[name], tone, element.clientWidth), { responsive: true, displaylogo: false, displayModeBar: false });
    });
  }
  draw(dark.matches);
  dark.addEventListener("change", () => draw(dark.matches));
  window.addEventListener("beforeprint", () => {
    draw(false);
    document.querySelectorAll(".plot").forEach((element) => Plotly.Plots.resize(element));
  });
  window.addEventListener("afterprint", () => draw(dark.matches));
})();
