"use strict";
// All text goes onto the page as text: names, hints and guesses are other people's.
const SOON_MS = 2000;
const LATER_MS = 15000;
let opened = "";
let shown = "";

function make(tag, text, name) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = String(text);
  if (name) element.className = name;
  element.dir = tag === "dd" || tag === "li" ? "auto" : element.dir;
  return element;
}

function row(cells) {
  const line = make("tr");
  for (const cell of cells) line.append(make("td", cell));
  return line;
}

const fixed = (value, digits) => (value === null ? "–" : value.toFixed(digits));

function showStandings(standings) {
  const body = document.querySelector("#standings tbody");
  body.replaceChildren(
    ...standings.map((each, place) =>
      row([
        place + 1,
        each.player,
        each.points,
        each.played,
        fixed(each.mean_score, 1),
        `${fixed(each.rating, 1)} [${fixed(each.interval[0], 1)}, ${fixed(each.interval[1], 1)}]`,
      ]),
    ),
  );
}

function showRounds(rounds) {
  const parts = rounds.map(({ round, games }) => {
    const part = make("div");
    const over = games.filter((game) => game.state === "over").length;
    part.append(make("h3", `Round ${round}: ${over} of ${games.length} over`));
    const grid = make("div", null, "games");
    for (const game of games) {
      const button = make("button", null, "game");
      button.type = "button";
      button.dataset.game = game.game_id;
      button.append(make("div", `${game.game_id} · ${game.state}`, "id"));
      for (const player of game.players) {
        const line = make("div", null, "line");
        const score = player.private_score === null ? player.state : `${fixed(player.private_score, 1)} · ${player.league_points}`;
        line.append(make("span", player.name), make("span", score));
        button.append(line);
      }
      button.addEventListener("click", () => open(game.game_id, true));
      grid.append(button);
    }
    part.append(grid);
    return part;
  });
  document.querySelector("#rounds").replaceChildren(...(parts.length ? parts : [make("p", "No round has begun.")]));
}

function facts(pairs) {
  const list = make("dl");
  for (const [name, value] of pairs) list.append(make("dt", name), make("dd", value));
  return list;
}

function showPlay(player) {
  const part = make("div");
  part.append(make("h3", `${player.name}: ${fixed(player.private_score, 1)} of 100, ${player.league_points} points`));
  const questions = make("ol");
  (player.questions || []).forEach((question, place) => {
    const item = make("li", `${question.question_text} `);
    const answer = (player.answers || [])[place];
    for (const letter of ["A", "B", "C", "D"]) {
      item.append(make("span", `${letter} ${question.options[letter]}  `, answer === letter ? "given" : ""));
    }
    if (!answer || answer.length > 1) item.append(make("span", answer || "no answer", "given"));
    questions.append(item);
  });
  part.append(questions);
  const guess = player.guess || {};
  part.append(
    facts([
      ["guess", guess.opening_sentence],
      ["because", guess.sentence_justification],
      ["word", guess.associative_word],
      ["because", guess.word_justification],
      ["confidence", guess.confidence],
      ...Object.entries(player.breakdown || {}).map(([name, value]) => [name.replaceAll("_", " "), value]),
    ]),
  );
  return part;
}

async function open(gameId, jump) {
  opened = gameId;
  const answer = await fetch(`/league/games/${gameId}`);
  if (!answer.ok || opened !== gameId) return;
  const text = await answer.text();
  const section = document.querySelector("#game");
  if (text !== shown) {
    shown = text;
    const game = JSON.parse(text);
    document.querySelector("#game-title").textContent = `Game ${game.game_id}`;
    const parts = [make("p", `Round ${game.round}, ${game.state}.`)];
    if (game.told) {
      parts.push(
        facts([
          ["book", game.told.book_name],
          ["hint", game.told.hint],
          ["domain", game.told.association_domain],
          ["right sentence", game.right.opening_sentence],
          ["right word", game.right.associative_word],
        ]),
      );
      const plays = make("div", null, "plays");
      plays.append(...game.players.map(showPlay));
      parts.push(plays);
    } else {
      parts.push(...game.players.map((player) => make("p", `${player.name}: ${player.state}`)));
      parts.push(make("p", "Its moves are shown when it is over for both."));
    }
    document.querySelector("#moves").replaceChildren(...parts);
  }
  section.hidden = false;
  if (jump) {
    location.hash = gameId;
    document.querySelector("#game-title").focus();
  }
}

let last = "";
async function refresh() {
  let wait = SOON_MS;
  try {
    const answer = await fetch("/league/state");
    const text = await answer.text();
    const season = JSON.parse(text);
    if (text !== last) {
      last = text;
      const told = { registration: "waits for players", running: "is running", over: "is over" }[season.state];
      document.querySelector("#state").textContent =
        `Season ${season.season_id} ${told}: ${season.registered.length} of ${season.n_players} players.`;
      showStandings(season.standings);
      const focused = document.activeElement && document.activeElement.dataset.game;
      showRounds(season.rounds);
      if (focused) document.querySelector(`[data-game="${CSS.escape(focused)}"]`)?.focus();
    }
    if (opened) await open(opened, false);
    if (season.state === "over") wait = LATER_MS;
  } catch {
    document.querySelector("#state").textContent = "The league does not answer; trying again.";
    last = "";
    wait = LATER_MS / 3;
  }
  setTimeout(refresh, wait);
}

if (/^#\d{7}$/.test(location.hash)) opened = location.hash.slice(1);
refresh();
