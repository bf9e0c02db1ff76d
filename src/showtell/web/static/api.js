// The server's interface, version 1.

const ROOT = "/api/v1";

/** What went wrong, as the server says it; the code is "unreachable" where it says nothing. */
export class Failure extends Error {
  constructor(code, message, status = 0, retryAfter = 0) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

async function call(path, options = {}) {
  let reply;
  try {
    reply = await fetch(ROOT + path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure("unreachable", String(error.message));
  }
  if (reply.ok) return reply;
  if (reply.status === 401) location.reload(); // the server then asks for the key
  const told = (await reply.json().catch(() => ({}))).error ?? {};
  throw new Failure(told.code ?? "failed", told.message ?? "", reply.status, Number(reply.headers.get("Retry-After")) || 0);
}

const json = async (path, options) => (await call(path, options)).json();
const text = async (path, options) => (await call(path, options)).text();

const sent = (method, body) => ({ method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

function form(files) {
  const body = new FormData();
  for (const file of files) body.append("file", file, file.name || "picture.png");
  return { method: "POST", body };
}

export const getLibrary = () => json("/library");
export const getAnswer = (id) => json(`/answers/${encodeURIComponent(id)}`);
export const getMarkdown = (id) => text(`/answers/${encodeURIComponent(id)}/markdown`);
export const putRating = (id, rating) => text(`/answers/${encodeURIComponent(id)}/rating`, sent("PUT", rating));
export const addPicture = (file) => json("/pictures", form([file]));
export const addPictureFrom = (url) => json("/pictures", sent("POST", { url }));
export const getDocuments = () => json("/documents");
export const addDocuments = (files) => json("/documents", form(files));
export const addDocumentsFrom = (url) => json("/documents", sent("POST", { url }));
export const removeDocument = (name) => text(`/documents/${name.split("/").map(encodeURIComponent).join("/")}`, { method: "DELETE" });

/** The text of a section in reading order: ``blocks``, and the ``passages`` cut from them. */
export function getSection(document, section) {
  const query = new URLSearchParams({ document });
  for (const heading of section) query.append("section", heading);
  return json(`/passages?${query}`);
}

export const pictureAddress = (sha256) => `${ROOT}/pictures/${encodeURIComponent(sha256)}`;
export const htmlAddress = (id) => `${ROOT}/answers/${encodeURIComponent(id)}/html`;
export const assetAddress = (asset) => `/media/${encodeURIComponent(asset)}`;
export const answerAddress = (id) => `${location.origin}/a/${encodeURIComponent(id)}`;

/** Ask, and give each event of the stream as ``[name, data]``. Throws a Failure, also where the stream breaks off. */
export async function* ask(question, signal) {
  const reply = await call("/answers", { ...sent("POST", { ...question, stream: true }), signal });
  let ended = false;
  for await (const [name, data] of events(reply.body)) {
    if (name === "error") throw new Failure(data.code, data.message);
    ended ||= name === "answer";
    yield [name, data];
  }
  if (!ended) throw new Failure("unreachable", "");
}

/** The server-sent events of a stream of bytes. */
async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (waiting + value.replaceAll("\r", "")).split("\n\n");
      waiting = blocks.pop();
      yield* blocks.map(event).filter(Boolean);
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw error instanceof Failure ? error : new Failure("unreachable", String(error.message));
  } finally {
    reader.cancel().catch(() => {});
  }
}

function event(block) {
  const fields = block.split("\n").map((line) => line.match(/^(event|data): ?(.*)$/)).filter(Boolean);
  const data = fields.filter(([, name]) => name === "data").map(([, , value]) => value).join("\n");
  const name = fields.find(([, field]) => field === "event")?.[2] ?? "message";
  return data ? [name, JSON.parse(data)] : null;
}
