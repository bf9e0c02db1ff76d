// The interface's words: English, German, Chinese. {name} is filled in; of "one | many" the form that fits {n} is taken.

export const LANGUAGES = { en: "English", de: "Deutsch", zh: "中文" };

const TEXTS = {
  // The page
  skip: ["Skip to the question", "Zur Frage springen", "跳到提问"],
  language: ["Language", "Sprache", "语言"],
  documents: ["Documents", "Dokumente", "文档"],
  new_conversation: ["New conversation", "Neues Gespräch", "新对话"],
  conversation: ["Conversation", "Gespräch", "对话"],
  welcome: ["What would you like to know?", "Was möchten Sie wissen?", "您想了解什么？"],
  promise: [
    "Answers come from the documents here, with the pictures, tables and videos that make the point, and every source.",
    "Antworten kommen aus den Dokumenten hier, mit den Bildern, Tabellen und Videos, auf die es ankommt, und jeder Quelle.",
    "答案来自这里的文档，配有说明要点的图片、表格和视频，并注明每一处来源。",
  ],
  examples: ["Questions to begin with", "Fragen für den Anfang", "可以先问这些"],
  empty_library: ["There are no documents yet.", "Es gibt noch keine Dokumente.", "还没有文档。"],
  add_first: ["Add documents", "Dokumente hinzufügen", "添加文档"],
  n_documents: ["{n} document | {n} documents", "{n} Dokument | {n} Dokumente", "{n} 个文档"],
  n_passages: ["{n} passage | {n} passages", "{n} Textstelle | {n} Textstellen", "{n} 个段落"],
  n_images: ["{n} picture | {n} pictures", "{n} Bild | {n} Bilder", "{n} 张图片"],
  n_tables: ["{n} table | {n} tables", "{n} Tabelle | {n} Tabellen", "{n} 个表格"],
  n_videos: ["{n} video | {n} videos", "{n} Video | {n} Videos", "{n} 个视频"],
  close: ["Close", "Schließen", "关闭"],
  loading: ["Loading …", "Wird geladen …", "正在加载……"],

  // Asking
  question: ["Your question", "Ihre Frage", "您的问题"],
  ask_anything: ["Ask a question, or drop a picture", "Stellen Sie eine Frage, oder ziehen Sie ein Bild hierher", "提出问题，或拖入一张图片"],
  ask_further: ["Ask further", "Fragen Sie weiter", "继续提问"],
  ask: ["Ask", "Fragen", "提问"],
  stop: ["Stop", "Anhalten", "停止"],
  add_picture: ["Add a picture", "Bild hinzufügen", "添加图片"],
  take_photo: ["Take a photo", "Foto aufnehmen", "拍照"],
  remove_picture: ["Remove picture {n}", "Bild {n} entfernen", "移除图片 {n}"],
  picture_n: ["Picture {n} of the question", "Bild {n} zur Frage", "问题的图片 {n}"],
  uploading: ["Uploading the picture …", "Bild wird hochgeladen …", "正在上传图片……"],
  picture_added: ["Picture added", "Bild hinzugefügt", "图片已添加"],
  what_is_this: ["What does this picture show?", "Was zeigt dieses Bild?", "这张图片显示了什么？"],
  look_in: ["Look in", "Suchen in", "查找范围"],
  source_library: ["Documents", "Dokumente", "文档"],
  source_wikipedia: ["Wikipedia", "Wikipedia", "维基百科"],
  only_in: ["Only in {name}", "Nur in {name}", "仅限 {name}"],
  everywhere: ["Look in all documents again", "Wieder in allen Dokumenten suchen", "恢复在所有文档中查找"],
  drop_here: ["Drop a picture to ask about it, or documents to add them", "Bild ablegen, um danach zu fragen, oder Dokumente, um sie hinzuzufügen", "放下图片即可提问，放下文档即可添加"],

  // While an answer is made
  doing_start: ["Reading the question", "Die Frage wird gelesen", "正在理解问题"],
  doing_look: ["Looking at the picture", "Das Bild wird angesehen", "正在查看图片"],
  doing_search: ["Searching", "Es wird gesucht", "正在搜索"],
  doing_draft: ["Writing", "Die Antwort wird geschrieben", "正在撰写"],
  doing_illustrate: ["Choosing pictures, tables and videos", "Bilder, Tabellen und Videos werden ausgewählt", "正在挑选图片、表格和视频"],
  doing_verify: ["Checking against the sources", "Es wird mit den Quellen verglichen", "正在核对来源"],
  read_pages: ["Read: {pages}", "Gelesen: {pages}", "已阅读：{pages}"],
  figure_to_come: ["A figure comes here", "Hier kommt eine Abbildung", "此处将显示图片"],
  stopped: ["Stopped", "Angehalten", "已停止"],
  retry: ["Ask again", "Noch einmal fragen", "重新提问"],
  failed: ["Something went wrong.", "Etwas ist schiefgegangen.", "出了点问题。"],
  failed_title: ["No answer this time", "Diesmal keine Antwort", "这次没有答案"],
  unreachable: [
    "The server does not answer. Is it still running? Your question is kept.",
    "Der Server antwortet nicht. Läuft er noch? Ihre Frage bleibt erhalten.",
    "服务器没有响应。它还在运行吗？您的问题已保留。",
  ],
  busy: ["Too many questions at once. Please try again in a moment.", "Zu viele Fragen auf einmal. Bitte versuchen Sie es gleich noch einmal.", "提问过多，请稍后再试。"],
  busy_seconds: [
    "Too many questions at once. Please try again in {n} second. | Too many questions at once. Please try again in {n} seconds.",
    "Zu viele Fragen auf einmal. Bitte in {n} Sekunde noch einmal. | Zu viele Fragen auf einmal. Bitte in {n} Sekunden noch einmal.",
    "提问过多，请在 {n} 秒后重试。",
  ],
  answer_gone: ["This answer is no longer kept", "Diese Antwort ist nicht mehr da", "此答案已不再保留"],
  ask_new: ["Ask a new question", "Eine neue Frage stellen", "提出新问题"],

  // An answer
  answered: ["Answered", "Beantwortet", "已回答"],
  not_in_sources: ["Not in the sources", "Nicht in den Quellen", "来源中没有"],
  from_sources: ["from {n} source | from {n} sources", "aus {n} Quelle | aus {n} Quellen", "来自 {n} 个来源"],
  confidence: ["confidence {level}", "Sicherheit: {level}", "可信度：{level}"],
  level_high: ["high", "hoch", "高"],
  level_medium: ["medium", "mittel", "中"],
  low_confidence: ["Low confidence: {why}.", "Geringe Sicherheit: {why}.", "可信度低：{why}。"],
  may_not_answer: ["the sources may not answer this", "die Quellen beantworten das vielleicht nicht", "来源可能没有回答这个问题"],
  asked_model: ["asked {model}", "gefragt wurde {model}", "已询问 {model}"],
  written_by: ["written by {model}", "geschrieben von {model}", "由 {model} 撰写"],
  method: ["method {method}", "Verfahren {method}", "方法 {method}"],
  n_checked: ["{n} detail checked | {n} details checked", "{n} Angabe geprüft | {n} Angaben geprüft", "已核对 {n} 处"],
  n_corrected: ["{n} corrected", "{n} berichtigt", "已更正 {n} 处"],
  n_marked: ["{n} marked", "{n} markiert", "已标记 {n} 处"],
  the_source_n: ["source [{n}]", "Quelle [{n}]", "来源 [{n}]"],
  the_sources: ["the sources", "den Quellen", "来源"],
  note_repaired: ["Corrected: {words} became {expected}, as in {source}.", "Berichtigt: {words} wurde zu {expected}, wie in {source}.", "已更正：{words} 改为 {expected}，依据{source}。"],
  note_support: ["Check this: {words} does not seem to come from {source}.", "Bitte prüfen: {words} stammt wohl nicht aus {source}.", "请核对：{words} 似乎并非出自{source}。"],
  note_quotation: ["Check this: {words} is not word for word what {source} says: {expected}.", "Bitte prüfen: {words} steht so nicht in {source}; dort: {expected}.", "请核对：{words} 与{source}的原文不一致：{expected}。"],
  note_disagrees: ["Check this: {words} disagrees with {source}.", "Bitte prüfen: {words} widerspricht {source}.", "请核对：{words} 与{source}不符。"],
  note_disagrees_has: ["Check this: {words} disagrees with {source}, which has {expected}.", "Bitte prüfen: {words} widerspricht {source}; dort steht {expected}.", "请核对：{words} 与{source}不符，后者为 {expected}。"],
  note_not_found: ["Check this: {words} was not found in {source}.", "Bitte prüfen: {words} wurde in {source} nicht gefunden.", "请核对：在{source}中未找到 {words}。"],
  marked_end: [" (see the note)", " (siehe Hinweis)", "（见说明）"],
  nearest: ["Worth a look", "Einen Blick wert", "值得一看"],
  warnings: ["Worth knowing", "Gut zu wissen", "请注意"],
  sources: ["Sources", "Quellen", "来源"],
  source_n: ["Source {n}: {title}", "Quelle {n}: {title}", "来源 {n}：{title}"],
  searched_for: ["Searched for", "Gesucht wurde nach", "搜索内容"],
  search_n: ["Search {n}", "Suche {n}", "搜索 {n}"],
  add_search: ["Add a search", "Suche hinzufügen", "添加搜索"],
  remove_search: ["Remove search {n}", "Suche {n} entfernen", "移除搜索 {n}"],
  search_again: ["Ask again with these searches", "Mit diesen Suchen noch einmal fragen", "用这些搜索重新提问"],
  made_in: ["Made in {time}", "Entstanden in {time}", "用时 {time}"],
  made_by: ["method {method} · model {model}", "Verfahren {method} · Modell {model}", "方法 {method} · 模型 {model}"],

  // What one can do with it
  copy_markdown: ["Copy", "Kopieren", "复制"],
  copy_markdown_name: ["Copy as Markdown", "Als Markdown kopieren", "复制为 Markdown"],
  download: ["Download", "Herunterladen", "下载"],
  download_name: ["Download as an HTML page", "Als HTML-Seite herunterladen", "下载为 HTML 页面"],
  copy_link: ["Link", "Link", "链接"],
  copy_link_name: ["Copy a permanent link to this answer", "Dauerhaften Link zu dieser Antwort kopieren", "复制此答案的永久链接"],
  copied: ["Copied", "Kopiert", "已复制"],
  rating: ["Rate this answer", "Diese Antwort bewerten", "评价此答案"],
  thumb_up: ["A good answer", "Gute Antwort", "好答案"],
  thumb_down: ["A poor answer", "Schlechte Antwort", "差答案"],
  usefulness: ["Usefulness", "Nutzen", "有用性"],
  usefulness_about: ["Does it help with the question?", "Hilft sie bei der Frage?", "是否有助于解决问题？"],
  readability: ["Readability", "Lesbarkeit", "可读性"],
  readability_about: ["Do text and media read well together?", "Lesen sich Text und Medien gut zusammen?", "图文是否流畅易读？"],
  relevance: ["Relevance", "Bezug", "相关性"],
  relevance_about: ["Do the pictures, tables and videos fit?", "Passen Bilder, Tabellen und Videos?", "图片、表格和视频是否切题？"],
  of_five: ["{n} of 5", "{n} von 5", "{n} / 5"],
  comment: ["Comment", "Anmerkung", "评论"],
  comment_about: ["What was good, what was missing?", "Was war gut, was fehlte?", "哪里好，缺了什么？"],
  rating_saved: ["Thank you, saved", "Danke, gespeichert", "谢谢，已保存"],
  rating_failed: ["Not saved: {why}", "Nicht gespeichert: {why}", "未保存：{why}"],

  // Figures
  image: ["Picture", "Bild", "图"],
  table: ["Table", "Tabelle", "表"],
  video: ["Video", "Video", "视频"],
  figure: ["Figure, full size", "Abbildung in voller Größe", "全尺寸图片"],
  figure_of: ["{name} · {n} of {all}", "{name} · {n} von {all}", "{name} · {n} / {all}"],
  enlarge: ["{name}, open full size: {words}", "{name} in voller Größe öffnen: {words}", "{name}，打开全尺寸：{words}"],
  enlarge_table: ["Enlarge", "Vergrößern", "放大"],
  actual_size: ["Actual size", "Originalgröße", "实际大小"],
  previous: ["Previous", "Zurück", "上一个"],
  next: ["Next", "Weiter", "下一个"],
  copy_table: ["Copy table", "Tabelle kopieren", "复制表格"],
  rows_shown: ["{shown} of {all} rows", "{shown} von {all} Zeilen", "{all} 行中的 {shown} 行"],
  play: ["Play {when}", "{when} abspielen", "播放 {when}"],
  captions: ["Captions", "Untertitel", "字幕"],
  from: ["from {time}", "ab {time}", "从 {time}"],
  until: ["to {time}", "bis {time}", "到 {time}"],
  watch_on: ["Watch on {host}", "Ansehen auf {host}", "在 {host} 观看"],
  open_on: ["Open on {host}", "Öffnen auf {host}", "在 {host} 打开"],
  missing: ["{what} is missing", "{what} fehlt", "{what} 缺失"],
  by_model: ["Described by {model}: {words}", "Beschrieben von {model}: {words}", "{model} 的描述：{words}"],
  a_model: ["a model", "einem Modell", "模型"],

  // The panel of a source
  source_panel: ["Source", "Quelle", "来源"],
  cited_here: ["Cited passage", "Zitierte Stelle", "引用的段落"],
  open_original: ["Open the original", "Original öffnen", "打开原文"],
  revision: ["revision {revision}", "Fassung {revision}", "版本 {revision}"],
  only_passage: ["The section itself is not in the library; this is the passage that was used.", "Der Abschnitt selbst ist nicht in der Bibliothek; dies ist die verwendete Stelle.", "该章节不在文库中；以下是所用的段落。"],
  previous_source: ["Previous source", "Vorige Quelle", "上一来源"],
  next_source: ["Next source", "Nächste Quelle", "下一来源"],

  // Documents
  add_documents: ["Add documents", "Dokumente hinzufügen", "添加文档"],
  choose_files: ["Choose files", "Dateien wählen", "选择文件"],
  or_drop: ["or drop them here", "oder hierher ziehen", "或拖到此处"],
  address: ["Address of a page or sitemap", "Adresse einer Seite oder Sitemap", "网页或站点地图地址"],
  add: ["Add", "Hinzufügen", "添加"],
  adding: ["Adding …", "Wird hinzugefügt …", "正在添加……"],
  status_added: ["added", "hinzugefügt", "已添加"],
  status_replaced: ["replaced", "ersetzt", "已替换"],
  status_unchanged: ["unchanged", "unverändert", "未改变"],
  status_skipped: ["skipped", "übergangen", "已跳过"],
  status_failed: ["failed", "fehlgeschlagen", "失败"],
  ask_about: ["Ask about it", "Danach fragen", "就此提问"],
  ask_about_name: ["Ask about {name}", "Nach {name} fragen", "就 {name} 提问"],
  remove: ["Remove", "Entfernen", "移除"],
  remove_name: ["Remove {name}", "{name} entfernen", "移除 {name}"],
  really_remove: ["Really remove?", "Wirklich entfernen?", "确定移除？"],
  removed: ["{name} was removed", "{name} wurde entfernt", "{name} 已移除"],
  find_document: ["Find a document", "Dokument suchen", "查找文档"],
};

/** The language of the interface: the one chosen before, else the browser's, else English. */
export const language = chosen() ?? navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES) ?? "en";

function chosen() {
  try {
    const kept = localStorage.getItem("language");
    return kept in LANGUAGES ? kept : null;
  } catch {
    return null; // a browser that keeps nothing
  }
}

/** Keep another language, and show the page in it. */
export function choose(tag) {
  try {
    localStorage.setItem("language", tag);
  } catch {
    return;
  }
  location.reload();
}

const column = Object.keys(LANGUAGES).indexOf(language);
const numbers = new Intl.NumberFormat(language);

/** The words for a key, filled in. */
export function t(key, values = {}) {
  const forms = TEXTS[key][column].split(" | ");
  const words = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
  return words.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? numbers.format(values[name]) : values[name]));
}

/** Whether there are words for a key. */
export const has = (key) => key in TEXTS;

/** Milliseconds as people say them. */
export function duration(milliseconds) {
  const [value, unit] = milliseconds < 1000 ? [Math.round(milliseconds), "millisecond"] : [milliseconds / 1000, "second"];
  return new Intl.NumberFormat(language, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

/** Fill in what index.html names: data-text, data-label (the accessible name) and data-placeholder. */
export function translate(root) {
  const fill = (name, put) => root.querySelectorAll(`[data-${name}]`).forEach((node) => put(node, t(node.dataset[name])));
  fill("text", (node, words) => { node.textContent = words; });
  fill("label", (node, words) => { node.setAttribute("aria-label", words); if (node.matches("button")) node.title = words; });
  fill("placeholder", (node, words) => { node.placeholder = words; });
}
