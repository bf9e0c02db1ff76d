// What is said alike everywhere: cleaned words, times, places, addresses and notes. Documents are not trusted.

import { t } from "./i18n.js";

// Terminal sequences (whole), what is left of the control characters, the bidirectional embeddings, overrides and
// isolates, and the two private characters that mark a span in limited.js: as showtell.render.labels has them.
/* eslint-disable no-control-regex */
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x9b[0-?]*[ -/]*[@-~]/g;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ue000\ue001]/g;
const BREAKS = /\r\n?|[\x0c\x85\u2028\u2029]/g;
const FILM = /\.(mp4|m4v|webm|ogv|mov)$/i;
const YOUTUBE = ["youtube.com", "m.youtube.com", "youtube-nocookie.com"];
const VIMEO = ["vimeo.com", "player.vimeo.com"];
const EXTRACTIVE = "extractive";
export const SEPARATOR = " › ";

/** The text without escape sequences, control characters and bidirectional controls. */
export function clean(text) {
  return String(text ?? "").replace(SEQUENCES, "").replace(BREAKS, "\n").replaceAll("\t", " ").replace(CONTROLS, "");
}

/** The cleaned text on one line of at most ``limit`` characters. */
export function line(text, limit = 300) {
  const words = clean(String(text ?? "").slice(0, 20 * limit)).split(/\s+/).filter(Boolean).join(" ");
  return words.length <= limit ? words : `${words.slice(0, limit - 1).trimEnd()}…`;
}

/** Seconds from the start as 1:05 or 1:01:05. */
export function clock(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, second] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${padded(minutes)}:${padded(second)}` : `${minutes}:${padded(second)}`;
}

/** The seconds shown: 1:05–1:32, "from 1:05", "to 1:32", or "" for the whole video. */
export function stretch(start, end) {
  const given = (time) => time !== null && time !== undefined;
  if (!given(start)) return given(end) ? t("until", { time: clock(end) }) : "";
  return given(end) ? `${clock(start)}–${clock(end)}` : t("from", { time: clock(start) });
}

/** The address where it is http(s), with everything escaped that could end or disguise it; else null. */
export function webAddress(address) {
  const given = clean(address).trim();
  if (!/^https?:\/\//i.test(given)) return null;
  try {
    return new URL(given).href;
  } catch {
    return null;
  }
}

/** The host of a web address, as people say it. */
export const host = (address) => new URL(address).hostname.replace(/^www\./, "");

/** The web address of a video at its second, in the manner of its host; null where it is no web address. */
export function moment(address, start, end) {
  const safe = webAddress(address);
  if (!safe) return null;
  const url = new URL(safe);
  if (host(safe) === "youtu.be" || YOUTUBE.includes(host(safe))) return onYoutube(url, start);
  if (VIMEO.includes(host(safe)) && start) url.hash = `t=${Math.floor(start)}s`;
  else if (FILM.test(url.pathname)) url.hash = fragment(start, end);
  return url.href;
}

function onYoutube(url, start) {
  const film = url.pathname.match(/^\/embed\/([\w-]+)\/?$/)?.[1];
  for (const name of ["t", "start", "end", "autoplay"]) url.searchParams.delete(name);
  if (film) {
    url = new URL(`https://www.youtube.com/watch${url.search}`);
    url.searchParams.set("v", film);
  }
  if (start) url.searchParams.set("t", `${Math.floor(start)}s`);
  url.hash = "";
  return url.href;
}

/** The media fragment of a stretch: #t=65,92.5, or "". */
export function fragment(start, end) {
  const given = (time) => time !== null && time !== undefined;
  return given(start) || given(end) ? `#t=${start ?? 0}${given(end) ? `,${end}` : ""}` : "";
}

/** What a media item shows, in the author's words. */
export const described = (media) => line(media.caption) || line(media.alt) || line(media.type === "table" ? "" : media.title);

/** What a picture shows in a model's words, under its name; "" where the author says it, or nobody does. */
export const byModel = (media) =>
  media.generated ? t("by_model", { model: line(media.generated_by, 100) || t("a_model"), words: line(media.generated) }) : "";

/** Where a media item stands. */
export const place = (media) => [media.document, ...(media.section ?? []).slice(-1)].map((name) => line(name)).filter(Boolean).join(SEPARATOR);

/** A source's title and section, the title said once. */
export function heading(source) {
  const title = line(source.title) || line(source.document);
  const path = (source.section ?? []).map((name) => line(name)).filter(Boolean);
  return (path[0] === title ? path : [title, ...path]).join(SEPARATOR);
}

export const rights = (credit, licence) => [credit, licence].filter(Boolean).map((words) => line(words)).join(", ");

/** From the index of a figure among the parts to its name: Picture 1, Table 1. */
export function figureNames(parts) {
  const counts = {};
  return parts.map(({ type }) => {
    if (type === "text") return "";
    counts[type] = (counts[type] ?? 0) + 1;
    return `${t(type)} ${counts[type]}`;
  });
}

/** How many rows are shown, where a table was cut; else "". */
export function rowsShown(part) {
  const shown = part.media.rows?.length;
  return shown < part.rows_total ? t("rows_shown", { shown, all: part.rows_total }) : "";
}

/** One sentence where confidence is low, else "". */
export function doubt(answer) {
  const [level, ...why] = answer.confidence.split(":");
  if (answer.status === "no_answer" || level.trim() !== "low") return "";
  return t("low_confidence", { why: line(why.join(":")) || t("may_not_answer") });
}

/** What was searched for, where that is not only the question as it was asked. */
export function searched(answer) {
  return answer.searches.some((search) => search !== answer.question.text) ? answer.searches : [];
}

/** Who wrote an answer that is not the sources' own words, how, and what was checked. */
export function origin(answer) {
  const written = answer.model !== EXTRACTIVE;
  return [
    written && t(answer.status === "no_answer" ? "asked_model" : "written_by", { model: line(answer.model, 100) }),
    answer.method !== "showtell" && t("method", { method: line(answer.method, 60) }),
    written && checked(answer),
  ].filter(Boolean).join(" · ");
}

function checked(answer) {
  const outcomes = {
    n_checked: (check) => check.kind !== "support",
    n_corrected: (check) => check.action === "repaired",
    n_marked: (check) => check.action === "marked",
  };
  return Object.entries(outcomes)
    .map(([words, fits]) => [words, answer.checks.filter(fits).length])
    .filter(([, n]) => n)
    .map(([words, n]) => t(words, { n }))
    .join(", ");
}

/** What verification found wrong in one part. */
export const failedChecks = (answer, part) => answer.checks.filter((check) => check.part === part && check.verdict !== "supported");

/** The spans of a text part that the reader should check, in characters; what was repaired is only told. */
export const marks = (answer, part) => failedChecks(answer, part).filter((check) => check.action !== "repaired").map((check) => check.span);

/** What a failed check means for the reader, in one sentence. */
export function note(check) {
  const quoted = (words) => (words ? `“${line(words, 120)}”` : "");
  const values = {
    words: quoted(check.text),
    expected: quoted(check.expected),
    source: check.citation ? t("the_source_n", { n: check.citation }) : t("the_sources"),
  };
  if (check.action === "repaired" && check.expected) return t("note_repaired", values);
  if (check.kind === "support") return t("note_support", values);
  if (check.verdict === "contradicted" && check.kind === "quotation" && check.expected) return t("note_quotation", values);
  if (check.verdict === "contradicted") return t(check.expected ? "note_disagrees_has" : "note_disagrees", values);
  return t("note_not_found", values);
}

/** The words of a failure. */
export function fault(failure) {
  if (failure.code === "unreachable") return t("unreachable");
  if (failure.status === 429) return failure.retryAfter ? t("busy_seconds", { n: failure.retryAfter }) : t("busy");
  return line(failure.message, 600) || t("failed");
}
