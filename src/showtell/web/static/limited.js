// Limited Markdown, as showtell.render.limited reads it: blocks of runs in which nothing of a document is active.
// A run is {text, bold, italic, code, marked, link, citation}; a block {kind, runs, label, depth}.

import { clean, webAddress } from "./labels.js";

const [START, END] = ["\ue000", "\ue001"]; // private characters, which clean() takes out of every document
const ITEM = /^( *)([-+*]|\d{1,9}[.)])(?:( +)(.*)|)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const QUOTE = /^ {0,3}> ?/;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const LINK = /^\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\(\s*(?:<([^<>\n]*)>|([^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*))(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/s;
const AUTOLINK = /^<([a-z][a-z0-9+.-]{1,31}:[^<>\s]*|[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9.-]+)>/i;
const CITED = /^\[(\d{1,4})\]/;
const ENTITY = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|nbsp|copy|hellip|ndash|mdash));/i;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0", copy: "©", hellip: "…", ndash: "–", mdash: "—" };
const DEEPEST = 20;

/** The blocks of a text part. ``marks`` are spans of it in characters; ``[n]`` is a citation for n in ``citations``. */
export function parse(text, citations = [], marks = []) {
  const marked = withEdges(text, marks);
  const outer = Math.floor((marked.match(/^ */)[0].length + 1) / 3);
  const cited = new Set(citations.map(Number));
  const found = [];
  readBlocks(marked.split("\n"), { depth: 0, nesting: 0, quoted: false, label: { words: "" } }, found);
  return found.map(({ kind, words, label, depth }) => ({
    kind,
    label,
    depth: depth ? depth + outer : 0,
    runs: kind === "code" ? [run(words.replaceAll(START, "").replaceAll(END, ""))] : runs(words, cited),
  }));
}

function withEdges(text, marks) {
  const characters = [...text]; // spans count characters, not the halves of JavaScript's
  const edges = marks
    .filter(([start, end]) => start >= 0 && start < end && end <= characters.length)
    .flatMap(([start, end]) => [[start, START], [end, END]])
    .sort(([a, first], [b, second]) => a - b || (first < second ? -1 : 1));
  let done = 0;
  const pieces = edges.flatMap(([offset, edge]) => {
    const piece = clean(characters.slice(done, offset).join(""));
    done = offset;
    return [piece, edge];
  });
  return [...pieces, clean(characters.slice(done).join(""))].join("");
}

// ----------------------------------------------------------------------------------------------------------- blocks
function readBlocks(lines, around, found) {
  let paragraph = [];
  const emit = (kind, words) => {
    found.push({ kind, words, label: around.label.words, depth: around.depth });
    around.label.words = "";
  };
  const endParagraph = () => {
    if (paragraph.length) emit(around.quoted ? "quote" : "paragraph", paragraph.join("\n").replace(/[ ]+$/, ""));
    paragraph = [];
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    const fence = line.match(FENCE);
    const item = line.match(ITEM);
    if (!line.trim()) {
      endParagraph();
      at += 1;
    } else if (fence && !(fence[1][0] === "`" && fence[2].includes("`"))) {
      endParagraph();
      const [code, next] = fenced(lines, at, fence[1]);
      emit("code", code);
      at = next;
    } else if (QUOTE.test(line) && around.nesting < DEEPEST) {
      endParagraph();
      const [inner, next] = contained(lines, at, (each) => (QUOTE.test(each) ? each.replace(QUOTE, "") : null), false);
      readBlocks(inner, { ...around, nesting: around.nesting + 1, quoted: true }, found);
      at = next;
    } else if (item && around.nesting < DEEPEST && !(paragraph.length && !interrupts(item))) {
      endParagraph();
      at = readItem(lines, at, item, around, found);
    } else {
      paragraph.push(line.trimStart());
      at += 1;
    }
  }
  endParagraph();
}

/** Whether a list may begin right behind a line of a paragraph. */
const interrupts = ([, , marker, , words]) => Boolean(words?.trim()) && (!/\d/.test(marker) || parseInt(marker, 10) === 1);

function fenced(lines, at, fence) {
  const closes = (line) => line.trim().length >= fence.length && [...line.trim()].every((each) => each === fence[0]) && /^ {0,3}\S/.test(line);
  let end = at + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  const indent = lines[at].search(/\S/);
  const code = lines.slice(at + 1, end).map((line) => line.replace(new RegExp(`^ {0,${indent}}`), ""));
  return [code.join("\n").replace(/\n+$/, ""), end + 1];
}

function readItem(lines, at, [, indent, marker, gap = "", words = ""], around, found) {
  const width = indent.length + marker.length + (words && gap.length <= 4 ? gap.length : 1);
  const inside = (line) => (line.trim() ? (line.search(/\S/) >= width ? line.slice(width) : null) : "");
  const [inner, next] = contained(lines, at, (line, first) => (first ? " ".repeat(words && gap.length > 4 ? gap.length - 1 : 0) + words : inside(line)), true);
  around.label.words = /\d/.test(marker) ? marker : "•";
  readBlocks(inner, { ...around, nesting: around.nesting + 1, depth: around.depth + 1 }, found);
  if (around.label.words) found.push({ kind: "paragraph", words: "", label: around.label.words, depth: around.depth + 1 });
  around.label.words = "";
  return next;
}

/** The lines of a quote or an item, which also take the next lines of a paragraph that was left open. */
function contained(lines, at, take, acrossBlanks) {
  const inner = [];
  let next = at;
  for (; next < lines.length; next += 1) {
    const taken = take(lines[next], next === at);
    const last = inner.at(-1) ?? "";
    if (taken !== null && (acrossBlanks || lines[next].trim())) {
      if (next === at + 2 && !inner[0].trim() && !last.trim()) break; // an item may begin with one blank line at most
      inner.push(taken);
    } else if (last.trim() && lines[next].trim() && !FENCE.test(lines[next]) && !QUOTE.test(lines[next]) && !startsItem(lines[next])) {
      inner.push(lines[next].trimStart());
    } else break;
  }
  return [inner, next];
}

function startsItem(line) {
  const item = line.match(ITEM);
  return Boolean(item && (item[4]?.trim() || item[2]));
}

// ------------------------------------------------------------------------------------------------------------- runs
const run = (text, style = {}) => ({ text, bold: false, italic: false, code: false, marked: false, link: null, citation: null, ...style });

function runs(words, cited) {
  let open = 0;
  return inline(words, cited).flatMap((token) => {
    const style = { bold: token.bold > 0, italic: token.italic > 0, code: Boolean(token.code), link: token.link ?? null };
    if (token.citation) return [run(`[${token.citation}]`, { marked: open > 0, citation: token.citation })];
    return token.text.split(/([\ue000\ue001])/).flatMap((piece) => {
      if (piece === START || piece === END) open += piece === START ? 1 : -1;
      else if (piece) return [run(piece, { ...style, marked: open > 0 })];
      return [];
    });
  });
}

/** Words, code, citations and links in order; emphasis is counted in ``bold`` and ``italic``. */
function inline(words, cited, link = null) {
  const tokens = [];
  const add = (token) => tokens.push({ bold: 0, italic: 0, link, ...token });
  let plain = "";
  const flush = () => {
    if (plain) add({ text: plain });
    plain = "";
  };
  for (let at = 0; at < words.length;) {
    const rest = () => words.slice(at, at + 4000);
    const character = words[at];
    let match;
    if (character === "\\" && at + 1 < words.length && ESCAPABLE.test(words[at + 1])) {
      plain += words[at + 1];
      at += 2;
    } else if (character === "\n" || (character === "\\" && words[at + 1] === "\n")) {
      const hard = character === "\\" || /  $/.test(plain);
      plain = (character === "\\" ? plain : plain.replace(/ +$/, "")) + (hard ? "\n" : " ");
      at += character === "\\" ? 2 : 1;
      while (words[at] === " ") at += 1;
    } else if (character === "`") {
      const ticks = rest().match(/^`+/)[0];
      const end = closing(words, at + ticks.length, ticks.length);
      if (end < 0) plain += ticks;
      else {
        flush();
        add({ text: unpadded(words.slice(at + ticks.length, end).replaceAll("\n", " ")), code: true });
      }
      at = end < 0 ? at + ticks.length : end + ticks.length;
    } else if (character === "[" && (match = rest().match(CITED)) && cited.has(Number(match[1]))) {
      flush();
      add({ text: match[0], citation: Number(match[1]) });
      at += match[0].length;
    } else if (character === "!" && words[at + 1] === "[" && (match = words.slice(at + 1, at + 4001).match(LINK))) {
      plain += match[1];
      at += 1 + match[0].length;
    } else if (character === "[" && !link && (match = rest().match(LINK))) {
      flush();
      tokens.push(...inline(match[1], cited, webAddress(match[2] ?? match[3]) ?? "none"));
      plain += match[0].slice(match[1].length).replace(/[^\ue000\ue001]/g, ""); // a mark may end in an address
      at += match[0].length;
    } else if (character === "<" && (match = rest().match(AUTOLINK))) {
      flush();
      add({ text: match[1], link: webAddress(match[1]) });
      at += match[0].length;
    } else if (character === "&" && (match = rest().match(ENTITY))) {
      plain += match[3] ? NAMED[match[3].toLowerCase()] : clean(String.fromCodePoint(codePoint(match)));
      at += match[0].length;
    } else if (character === "*" || character === "_") {
      flush();
      const text = words.slice(at).match(character === "*" ? /^\*+/ : /^_+/)[0];
      add({ text, ...flanking(words, at, text) });
      at += text.length;
    } else {
      plain += character;
      at += 1;
    }
  }
  flush();
  emphasise(tokens);
  return tokens.filter((token) => token.text).map((token) => ({ ...token, link: token.link === "none" ? null : token.link }));
}

function codePoint([, decimal, hexadecimal]) {
  const code = decimal ? parseInt(decimal, 10) : parseInt(hexadecimal, 16);
  return code && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? code : 0xfffd;
}

function closing(words, from, length) {
  for (let at = words.indexOf("`", from); at >= 0; at = words.indexOf("`", at)) {
    let end = at;
    while (words[end] === "`") end += 1;
    if (end - at === length) return at;
    at = end;
  }
  return -1;
}

const unpadded = (code) => (/^ .* $/s.test(code) && code.trim() ? code.slice(1, -1) : code);

/** Whether a run of * or _ may open or close emphasis (CommonMark 6.2). */
function flanking(words, at, text) {
  const before = [...words.slice(Math.max(0, at - 2), at)].at(-1) ?? " ";
  const after = [...words.slice(at + text.length, at + text.length + 2)][0] ?? " ";
  const isSpace = (each) => /\s/u.test(each);
  const isSign = (each) => /[\p{P}\p{S}]/u.test(each);
  const left = !isSpace(after) && (!isSign(after) || isSpace(before) || isSign(before));
  const right = !isSpace(before) && (!isSign(before) || isSpace(after) || isSign(after));
  const isStar = text[0] === "*";
  return {
    delimiter: text[0],
    length: text.length,
    opens: left && (isStar || !right || isSign(before)),
    closes: right && (isStar || !left || isSign(after)),
  };
}

/** Pair the runs of * and _ and count their styles on what stands between (CommonMark, "process emphasis"). */
function emphasise(tokens) {
  const bottoms = {}; // below which no opener is left for a kind of closer
  for (let at = 0; at < tokens.length; at += 1) {
    const closer = tokens[at];
    const kind = `${closer.delimiter}${closer.opens}${closer.length % 3}`;
    while (closer.closes && closer.text) {
      const from = opener(tokens, at, bottoms[kind] ?? 0);
      if (from < 0) {
        bottoms[kind] = at;
        break;
      }
      const size = closer.text.length > 1 && tokens[from].text.length > 1 ? 2 : 1;
      for (let between = from + 1; between < at; between += 1) {
        tokens[between][size === 2 ? "bold" : "italic"] += 1;
        tokens[between].opens = tokens[between].closes = false;
      }
      tokens[from].text = tokens[from].text.slice(size);
      closer.text = closer.text.slice(size);
    }
  }
}

function opener(tokens, at, bottom) {
  const closer = tokens[at];
  for (let from = at - 1; from >= bottom; from -= 1) {
    const each = tokens[from];
    const threes = (each.closes || closer.opens) && (each.length + closer.length) % 3 === 0 && !(each.length % 3 === 0 && closer.length % 3 === 0);
    if (each.delimiter === closer.delimiter && each.opens && each.text && !threes) return from;
  }
  return -1;
}
