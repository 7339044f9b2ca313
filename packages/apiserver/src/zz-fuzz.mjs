import{createRequire}from'module';const require=createRequire(import.meta.url)
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};

// packages/env/src/clock.ts
var LONGEST_TIMEOUT;
var init_clock = __esm({
  "packages/env/src/clock.ts"() {
    "use strict";
    LONGEST_TIMEOUT = 2 ** 31 - 1;
  }
});

// packages/env/src/log.ts
function createLog({ now, write, level = "info" }, bound = {}) {
  const at = (lineLevel) => (message, fields) => {
    if (RANK[lineLevel] < RANK[level]) return;
    write({ time: now(), level: lineLevel, message, fields: fields ? { ...bound, ...fields } : bound });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (fields) => createLog({ now, write, level }, { ...bound, ...fields })
  };
}
var RANK, silentLog;
var init_log = __esm({
  "packages/env/src/log.ts"() {
    "use strict";
    RANK = { debug: 0, info: 1, warn: 2, error: 3 };
    silentLog = createLog({ now: () => 0, write: () => {
    } });
  }
});

// packages/env/src/random.ts
var POOL_SIZE, pool, HEX;
var init_random = __esm({
  "packages/env/src/random.ts"() {
    "use strict";
    POOL_SIZE = 4096;
    pool = new Uint8Array(POOL_SIZE);
    HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
  }
});

// packages/env/src/env.ts
var init_env = __esm({
  "packages/env/src/env.ts"() {
    "use strict";
    init_clock();
    init_log();
    init_random();
  }
});

// packages/env/src/failure.ts
var Failure, TerminalFailure;
var init_failure = __esm({
  "packages/env/src/failure.ts"() {
    "use strict";
    Failure = class extends Error {
      code;
      what;
      why;
      todo;
      constructor(code, { what, why, todo, cause }) {
        super([why === void 0 ? what : `${what}: ${why}`, todo].filter((part) => part !== void 0).join(". "), { cause });
        this.name = new.target.name;
        this.code = code;
        this.what = what;
        this.why = why;
        this.todo = todo;
      }
    };
    TerminalFailure = class extends Failure {
    };
  }
});

// packages/env/src/virtual-clock.ts
var init_virtual_clock = __esm({
  "packages/env/src/virtual-clock.ts"() {
    "use strict";
  }
});

// packages/env/src/index.ts
var init_src = __esm({
  "packages/env/src/index.ts"() {
    "use strict";
    init_clock();
    init_env();
    init_failure();
    init_log();
    init_random();
    init_virtual_clock();
  }
});

// packages/kube/src/go-quote.ts
function goQuote(text2) {
  if (!NEEDS_ESCAPE.test(text2)) return `"${text2}"`;
  let out = '"';
  for (const char of text2) out += SHORT_ESCAPES[char] ?? (PRINTABLE.test(char) ? char : escapeRune(char));
  return `${out}"`;
}
function escapeRune(char) {
  const rune = char.codePointAt(0);
  if (rune < 32 || rune === 127) return `\\x${hex(rune, 2)}`;
  if (rune >= 55296 && rune <= 57343) return "\\ufffd";
  return rune < 65536 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`;
}
var SHORT_ESCAPES, NEEDS_ESCAPE, PRINTABLE, hex;
var init_go_quote = __esm({
  "packages/kube/src/go-quote.ts"() {
    "use strict";
    SHORT_ESCAPES = {
      "\x07": "\\a",
      "\b": "\\b",
      "\f": "\\f",
      "\n": "\\n",
      "\r": "\\r",
      "	": "\\t",
      "\v": "\\v",
      "\\": "\\\\",
      '"': '\\"'
    };
    NEEDS_ESCAPE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/u;
    PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
    hex = (value2, width) => value2.toString(16).padStart(width, "0");
  }
});

// packages/kube/src/yaml-failure.ts
var init_yaml_failure = __esm({
  "packages/kube/src/yaml-failure.ts"() {
    "use strict";
    init_src();
  }
});

// packages/kube/src/go-float.ts
var init_go_float = __esm({
  "packages/kube/src/go-float.ts"() {
    "use strict";
  }
});

// packages/kube/src/yaml-scalar.ts
var WORDS, spell, LEAST_INT642, GREATEST_UINT64, GREATEST_INT642;
var init_yaml_scalar = __esm({
  "packages/kube/src/yaml-scalar.ts"() {
    "use strict";
    WORDS = /* @__PURE__ */ new Map();
    spell = (value2, ...spellings) => {
      for (const spelling of spellings) WORDS.set(spelling, value2);
    };
    spell({ type: "bool", value: true }, "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
    spell({ type: "bool", value: false }, "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
    spell({ type: "null", value: null }, "", "~", "null", "Null", "NULL");
    spell({ type: "float", value: Number.NaN }, ".nan", ".NaN", ".NAN");
    spell({ type: "float", value: Number.POSITIVE_INFINITY }, ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF");
    spell({ type: "float", value: Number.NEGATIVE_INFINITY }, "-.inf", "-.Inf", "-.INF");
    LEAST_INT642 = -(2n ** 63n);
    GREATEST_UINT64 = 2n ** 64n - 1n;
    GREATEST_INT642 = 2n ** 63n - 1n;
  }
});

// packages/apiserver/src/zz-fuzz.ts
import { spawnSync } from "node:child_process";

// packages/kube/src/api-error.ts
init_src();

// packages/kube/src/list-watch.ts
init_src();

// packages/kube/src/label-selector.ts
init_src();
init_go_quote();

// packages/kube/src/label-name.ts
var LABEL_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
var LABEL_VALUE = `(${LABEL_NAME})?`;
var DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
var DNS_SUBDOMAIN = `${DNS_LABEL}(\\.${DNS_LABEL})*`;
var isLabelName = matcher(LABEL_NAME);
var isLabelValue = matcher(LABEL_VALUE);
var isDnsSubdomain = matcher(DNS_SUBDOMAIN);
var NAME_RULE = withExamples(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_NAME,
  ["MyName", "my.name", "123-abc"]
);
var VALUE_RULE = withExamples(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ["MyValue", "my_value", "12345"]
);
var SUBDOMAIN_RULE = withExamples(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  DNS_SUBDOMAIN,
  ["example.com"]
);
function matcher(pattern) {
  const regexp = new RegExp(`^(?:${pattern})$`);
  return (text2) => regexp.test(text2);
}
function withExamples(rule, pattern, examples) {
  const quoted = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}

// packages/kube/src/object-store.ts
init_src();

// packages/kube/src/watch-trouble.ts
init_src();

// packages/kube/src/connection.ts
init_src();

// packages/kube/src/exec-plugin.ts
init_src();
var LONGEST_RUN_MS = 5 * 6e4;

// packages/kube/src/http-transport.ts
init_src();

// packages/kube/src/json-decoder.ts
init_src();
init_go_quote();
var JsonFailure = class extends TerminalFailure {
  constructor(what) {
    super("kube-json-invalid", { what });
  }
};
var DEEPEST_NESTING = 1e4;
var MOST_DUPLICATES = 100;
var GREATEST_INT64 = 2n ** 63n - 1n;
var LEAST_INT64 = -(2n ** 63n);
var LITERALS = { t: ["true", true], f: ["false", false], n: ["null", null] };
var ESCAPES = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "	"
};
function decodeJson(text2) {
  return new Decoder(text2).decode();
}
var Decoder = class {
  #text;
  #at = 0;
  /** The containers around the current position, outermost first. A list, not recursion: nesting may be deep. */
  #open = [];
  #duplicates = /* @__PURE__ */ new Set();
  #overflowing;
  constructor(text2) {
    this.#text = text2;
  }
  get position() {
    return this.#at;
  }
  isAtEnd() {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }
  decode() {
    const value2 = this.decodeNext();
    if (!this.isAtEnd()) throw this.#unexpected("after top-level value");
    if (this.#overflowing !== void 0) {
      throw new JsonFailure(`json: cannot unmarshal number ${this.#overflowing} into Go value of type float64`);
    }
    return { value: value2, duplicateFields: [...this.#duplicates] };
  }
  decodeNext() {
    let value2 = this.#readValueOrOpen();
    for (let container = this.#open.at(-1); container; container = this.#open.at(-1)) {
      if (value2 !== OPENED) {
        this.#attach(container, value2);
        if (!this.#readSeparator(container)) {
          this.#open.pop();
          value2 = container.value;
          continue;
        }
        if (container.type === "object") this.#readKey(container);
      }
      value2 = this.#readValueOrOpen();
    }
    return value2;
  }
  /** A scalar or an empty container, or `OPENED` when a container with content begins here. */
  #readValueOrOpen() {
    this.#skipSpace();
    const char = this.#text[this.#at];
    switch (char) {
      case "{": {
        const object = { type: "object", value: {}, key: "" };
        this.#enter();
        if (this.#endsWith("}")) return object.value;
        this.#open.push(object);
        this.#readKey(object);
        return OPENED;
      }
      case "[": {
        this.#enter();
        if (this.#endsWith("]")) return [];
        this.#open.push({ type: "array", value: [] });
        return OPENED;
      }
      case '"':
        return this.#readString();
      case "t":
      case "f":
      case "n":
        return this.#readLiteral(char);
      default:
        if (char === "-" || isDigit(char)) return this.#readNumber();
        throw this.#unexpected("looking for beginning of value");
    }
  }
  #enter() {
    if (this.#open.length === DEEPEST_NESTING) throw this.#unexpected("exceeded max depth");
    this.#at++;
    this.#skipSpace();
  }
  #endsWith(close) {
    if (this.#text[this.#at] !== close) return false;
    this.#at++;
    return true;
  }
  #attach(container, value2) {
    if (container.type === "array") container.value.push(value2);
    else setField(container.value, container.key, value2);
  }
  /** True after a comma, false after the container's end. */
  #readSeparator(container) {
    this.#skipSpace();
    const char = this.#text[this.#at];
    const isArray = container.type === "array";
    if (char !== "," && char !== (isArray ? "]" : "}")) {
      throw this.#unexpected(isArray ? "after array element" : "after object key:value pair");
    }
    this.#at++;
    return char === ",";
  }
  #readKey(object) {
    this.#skipSpace();
    if (this.#text[this.#at] !== '"') throw this.#unexpected("looking for beginning of object key string");
    const key2 = this.#readString();
    if (Object.hasOwn(object.value, key2) && this.#duplicates.size < MOST_DUPLICATES) {
      this.#duplicates.add(formatPath(this.#open, key2));
    }
    object.key = key2;
    this.#skipSpace();
    if (this.#text[this.#at] !== ":") throw this.#unexpected("after object key");
    this.#at++;
  }
  #readString() {
    const text2 = this.#text;
    let out = "";
    let from = ++this.#at;
    while (true) {
      const char = text2[this.#at];
      if (char === '"') {
        out += text2.slice(from, this.#at++);
        return out;
      }
      if (char === void 0 || char < " ") throw this.#unexpected("in string literal");
      if (char === "\\") {
        out += text2.slice(from, this.#at);
        out += this.#readEscape();
        from = this.#at;
      } else {
        this.#at++;
      }
    }
  }
  #readEscape() {
    this.#at++;
    const char = this.#text[this.#at];
    const short = char === void 0 ? void 0 : ESCAPES[char];
    if (short !== void 0) {
      this.#at++;
      return short;
    }
    if (char !== "u") throw this.#malformed("in string escape code");
    this.#at++;
    const unit = this.#readHexDigits();
    if (unit < 55296 || unit > 57343) return String.fromCharCode(unit);
    const pair = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(this.#text.slice(this.#at, this.#at + 6));
    if (unit > 56319 || !pair) return "\uFFFD";
    this.#at += 6;
    return String.fromCharCode(unit, Number.parseInt(pair[1], 16));
  }
  #readHexDigits() {
    const start = this.#at;
    for (; this.#at < start + 4; this.#at++) {
      if (!/^[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) throw this.#malformed("in \\u hexadecimal character escape");
    }
    return Number.parseInt(this.#text.slice(start, this.#at), 16);
  }
  #readLiteral(first) {
    const [word, value2] = LITERALS[first];
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) throw this.#malformed(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
    return value2;
  }
  #readNumber() {
    const start = this.#at;
    if (this.#text[this.#at] === "-") this.#at++;
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#readDigits("in numeric literal");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#readDigits("after decimal point in numeric literal");
    }
    if (this.#text[this.#at] === "e" || this.#text[this.#at] === "E") {
      this.#at++;
      if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") this.#at++;
      this.#readDigits("in exponent of numeric literal");
    }
    return this.#toNumber(this.#text.slice(start, this.#at));
  }
  #readDigits(where) {
    if (!isDigit(this.#text[this.#at])) throw this.#malformed(where);
    while (isDigit(this.#text[this.#at])) this.#at++;
  }
  #toNumber(literal) {
    const value2 = Number(literal);
    if (Number.isSafeInteger(value2)) return value2;
    if (/^-?\d+$/.test(literal) && literal.length <= 20) {
      const integer = BigInt(literal);
      if (integer >= LEAST_INT64 && integer <= GREATEST_INT64) return integer;
    }
    if (!Number.isFinite(value2)) this.#overflowing ??= literal;
    return value2;
  }
  #skipSpace() {
    while (isSpace(this.#text[this.#at])) this.#at++;
  }
  #unexpected(where) {
    if (this.#at >= this.#text.length) return new JsonFailure("unexpected end of JSON input");
    return this.#malformed(where);
  }
  /** A mistake inside a token. Go's decoder notices the end of the text there as a space. */
  #malformed(where) {
    const rune = this.#text.codePointAt(this.#at) ?? 32;
    return new JsonFailure(`invalid character ${quoteByte(firstByte(rune))} ${where}`);
  }
};
var OPENED = /* @__PURE__ */ Symbol("a container begins");
var isDigit = (char) => char !== void 0 && char >= "0" && char <= "9";
var isSpace = (char) => char === " " || char === "\n" || char === "	" || char === "\r";
function setField(object, key2, value2) {
  if (key2 === "__proto__") {
    Object.defineProperty(object, key2, { value: value2, enumerable: true, configurable: true, writable: true });
  } else {
    object[key2] = value2;
  }
}
function formatPath(open, key2) {
  let path = "";
  for (const container of open.slice(0, -1)) {
    if (container.type === "array") path += `[${container.value.length}]`;
    else path += path === "" ? container.key : `.${container.key}`;
  }
  return open.length === 1 ? key2 : `${path}.${key2}`;
}
function firstByte(rune) {
  return Buffer.from(String.fromCodePoint(rune))[0];
}
function quoteByte(byte2) {
  if (byte2 === 39) return "'\\''";
  if (byte2 === 34) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte2)).slice(1, -1)}'`;
}

// packages/kube/src/json.ts
function parseJson(text2) {
  const value2 = parsePlain(text2);
  return value2 === void 0 ? decodeJson(text2).value : value2;
}
function stringifyJson(value2, indent) {
  try {
    return JSON.stringify(value2, void 0, indent);
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !thrown.message.includes("BigInt")) throw thrown;
    return writeWithBigInts(value2, indent);
  }
}
function parsePlain(text2) {
  let value2;
  try {
    value2 = JSON.parse(text2);
  } catch {
    return void 0;
  }
  if (text2.includes("\\u") && SURROGATE_ESCAPE.test(text2)) return void 0;
  return isPlain(value2) ? value2 : void 0;
}
var SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
var SURVEYED_DEPTH = 500;
var survey = { keys: 0 };
function isPlain(value2) {
  survey.keys = 0;
  return isPlainValue(value2, 0);
}
function isPlainValue(value2, depth) {
  if (typeof value2 === "number") return value2 <= Number.MAX_SAFE_INTEGER && value2 >= Number.MIN_SAFE_INTEGER;
  if (typeof value2 !== "object" || value2 === null) return true;
  if (depth === SURVEYED_DEPTH) return false;
  if (Array.isArray(value2)) {
    for (let i = 0; i < value2.length; i++) if (!isPlainValue(value2[i], depth + 1)) return false;
    return true;
  }
  const object = value2;
  for (const key2 in object) {
    survey.keys++;
    const field = object[key2];
    if (typeof field !== "string" && !isPlainValue(field, depth + 1)) return false;
  }
  return true;
}
function writeWithBigInts(value2, indent = 0, margin = "") {
  if (typeof value2 === "bigint") return value2.toString();
  const data = hasToJson(value2) ? value2.toJSON() : value2;
  if (typeof data !== "object" || data === null) return JSON.stringify(data);
  const inner = margin + " ".repeat(indent);
  const isArray = Array.isArray(data);
  const parts = isArray ? data.map((item) => isOmitted(item) ? "null" : writeWithBigInts(item, indent, inner)) : Object.entries(data).filter(([, field]) => !isOmitted(field)).map(
    ([key2, field]) => `${JSON.stringify(key2)}:${indent > 0 ? " " : ""}${writeWithBigInts(field, indent, inner)}`
  );
  const [open, close] = isArray ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  if (indent === 0) return `${open}${parts.join(",")}${close}`;
  return `${open}
${parts.map((part) => inner + part).join(",\n")}
${margin}${close}`;
}
var isOmitted = (value2) => value2 === void 0 || typeof value2 === "function" || typeof value2 === "symbol";
function hasToJson(value2) {
  return typeof value2 === "object" && value2 !== null && "toJSON" in value2 && typeof value2.toJSON === "function";
}

// packages/kube/src/web-socket.ts
init_src();
var LARGEST_MESSAGE = 64 * 1024 * 1024;
var CLOSE_NORMALLY = Uint8Array.of(1e3 >> 8, 1e3 & 255);

// packages/kube/src/http-transport.ts
var DEFAULT_LARGEST_ANSWER = 256 * 1024 * 1024;

// packages/kube/src/kube-client.ts
init_src();

// packages/kube/src/discovery.ts
var AGGREGATED = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
);
var ACCEPT = [...AGGREGATED, "application/json"].join(",");

// packages/kube/src/pod-port-forward.ts
init_src();

// packages/kube/src/spdy-connection.ts
init_src();

// packages/kube/src/spdy-framer.ts
var LARGEST_PAYLOAD = 2 ** 24 - 1;

// packages/kube/src/spdy-headers.ts
var COMMON_NAMES = "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin".split(" ").map((name) => name.replace("_", " "));
var COMMON_VALUES = "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";
var DICTIONARY = Buffer.concat([...COMMON_NAMES.map(lengthAndText), Buffer.from(COMMON_VALUES)]);
var LARGEST_BLOCK = 64 * 1024;
function lengthAndText(text2) {
  const bytes = Buffer.from(text2);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
function storedHead(length) {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 65535, 3);
  return head;
}
var FLUSH = storedHead(0);

// packages/kube/src/spdy-connection.ts
var LONGEST_FRAME = 32 * 1024;
var UNREAD_BYTES_BEFORE_WAIT = 1024 * 1024;

// packages/kube/src/resource-path.ts
init_src();

// packages/kube/src/kubeconfig.ts
init_src();

// packages/kube/src/yaml.ts
init_yaml_failure();

// packages/kube/src/watched-file.ts
init_src();

// packages/kube/src/index.ts
init_go_quote();

// packages/kube/src/yaml-format.ts
init_go_float();
init_yaml_scalar();

// packages/kube/src/leader-election.ts
init_src();

// packages/kube/src/work-queue.ts
init_src();
var NEVER = Number.POSITIVE_INFINITY;

// packages/kube/src/index.ts
init_yaml_failure();

// packages/apiserver/src/schema/go-float.ts
function goFloat(value2) {
  const magnitude = Math.abs(value2);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)) {
    return value2.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return String(value2);
}

// packages/apiserver/src/field-error.ts
var OMITTED_VALUE = /* @__PURE__ */ Symbol("omitted value");
var invalid = (field, value2, detail) => ({
  type: "FieldValueInvalid",
  field,
  value: value2,
  detail
});
var required = (field, detail = "") => ({ type: "FieldValueRequired", field, detail });
var duplicate = (field, value2) => ({
  type: "FieldValueDuplicate",
  field,
  value: value2,
  detail: ""
});
var forbidden = (field, detail) => ({ type: "FieldValueForbidden", field, detail });
var tooLong = (field, maximum) => ({
  type: "FieldValueTooLong",
  field,
  value: "",
  detail: `may not be more than ${maximum} ${maximum === 1 ? "byte" : "bytes"}`
});
var tooMany = (field, actual, maximum) => ({
  type: "FieldValueTooMany",
  field,
  value: actual,
  detail: `must have at most ${maximum} ${maximum === 1 ? "item" : "items"}`
});
var typeInvalid = (field, value2, detail) => ({
  type: "FieldValueTypeInvalid",
  field,
  value: value2,
  detail
});
var notSupported = (field, value2, supported) => ({
  type: "FieldValueNotSupported",
  field,
  value: value2,
  detail: supported.length > 0 ? `supported values: ${supported.map((v) => JSON.stringify(v)).join(", ")}` : ""
});
var WORDS2 = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  InternalError: "Internal error",
  FieldValueTypeInvalid: "Invalid value"
};
var PRINTS_NO_VALUE = /* @__PURE__ */ new Set([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "InternalError"
]);
function errorBody({ type, value: value2, detail }) {
  let text2 = WORDS2[type];
  if (!PRINTS_NO_VALUE.has(type) && value2 !== OMITTED_VALUE) text2 += `: ${formatValue(value2)}`;
  return detail === "" ? text2 : `${text2}: ${detail}`;
}
function formatFieldError(error) {
  return `${error.field === "" ? "<nil>" : error.field}: ${errorBody(error)}`;
}
function formatValue(value2) {
  if (value2 === void 0 || value2 === null) return "null";
  if (typeof value2 === "string") return goQuote(value2);
  if (typeof value2 === "number") return goFloat(value2);
  return escapeHtml(stringifyJson(value2));
}
var escapeHtml = (json) => json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
var child = (field, name) => field === "" ? name : `${field}.${name}`;
var index = (field, i) => `${field}[${i}]`;
var key = (field, name) => `${field}[${name}]`;

// packages/expressions/src/cel/escaping.ts
var reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" ")
);

// packages/expressions/src/cel/type.ts
var none = [];
var simple = (kind, name) => ({ kind, name, parameters: none });
var boolType = simple("bool", "bool");
var bytesType = simple("bytes", "bytes");
var doubleType = simple("double", "double");
var durationType = simple("duration", "google.protobuf.Duration");
var dynType = simple("dyn", "dyn");
var anyType = simple("any", "google.protobuf.Any");
var errorType = simple("error", "error");
var intType = simple("int", "int");
var nullType = simple("null", "null_type");
var stringType = simple("string", "string");
var timestampType = simple("timestamp", "google.protobuf.Timestamp");
var uintType = simple("uint", "uint");
var typeType = simple("type", "type");
var listType = (element) => ({ kind: "list", name: "list", parameters: [element] });
var mapType = (key2, value2) => ({
  kind: "map",
  name: "map",
  parameters: [key2, value2]
});
var opaqueType = (name, ...parameters) => ({ kind: "opaque", name, parameters });
var typeParameter = (name) => simple("param", name);
var typeOf = (type) => ({ kind: "type", name: "type", parameters: [type] });

// packages/expressions/src/cel/decl-type.ts
var maxRequestBytes = 3 * 1024 * 1024;
function simple2(celType, schema, minSerializedSize, maxElements = 0) {
  return { celType, schema, fields: void 0, key: void 0, element: void 0, maxElements, minSerializedSize };
}
var mapKey = simple2(stringType, { type: "string" }, 2);

// packages/expressions/src/cel/number-text.ts
function formatDouble(value2) {
  if (Number.isNaN(value2)) return "NaN";
  if (value2 === Infinity) return "+Inf";
  if (value2 === -Infinity) return "-Inf";
  if (Object.is(value2, -0)) return "-0";
  const [mantissa = "0", exponentText = "0"] = value2.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return value2.toString();
  const sign = exponent < 0 ? "-" : "+";
  return `${mantissa}e${sign}${Math.abs(exponent).toString().padStart(2, "0")}`;
}
function plainDecimal(value2) {
  const text2 = value2.toString();
  if (!text2.includes("e")) return text2;
  const [mantissa = "0", exponentText = "0"] = text2.split("e");
  const negative = mantissa.startsWith("-");
  const [whole = "0", fraction = ""] = (negative ? mantissa.slice(1) : mantissa).split(".");
  const exponent = Number(exponentText);
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const plain = point <= 0 ? `0.${"0".repeat(-point)}${digits}` : point >= digits.length ? digits + "0".repeat(point - digits.length) : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return negative ? `-${plain}` : plain;
}

// packages/expressions/src/cel/text-order.ts
function compareBytes(left, right) {
  const shared = Math.min(left.length, right.length);
  for (let index2 = 0; index2 < shared; index2++) {
    const difference = left[index2] - right[index2];
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(left.length - right.length);
}
function compareStrings(left, right) {
  const shared = Math.min(left.length, right.length);
  for (let index2 = 0; index2 < shared; index2++) {
    const a = left.charCodeAt(index2);
    const b = right.charCodeAt(index2);
    if (a !== b) return codeUnitRank(a) < codeUnitRank(b) ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}
function codeUnitRank(unit) {
  return unit >= 55296 && unit <= 57343 ? unit + 65536 : unit;
}
function stringLength(text2) {
  let length = text2.length;
  for (let index2 = 0; index2 < text2.length; index2++) {
    const unit = text2.charCodeAt(index2);
    if (unit >= 55296 && unit <= 56319 && index2 + 1 < text2.length) {
      const next = text2.charCodeAt(index2 + 1);
      if (next >= 56320 && next <= 57343) {
        length--;
        index2++;
      }
    }
  }
  return length;
}

// packages/expressions/src/cel/value.ts
var CelError = class {
  message;
  constructor(message) {
    this.message = message;
  }
};
var noSuchOverload = new CelError("no such overload");
function noOverloadFor(value2) {
  return value2 instanceof CelError ? value2 : noSuchOverload;
}
var Uint = class {
  value;
  constructor(value2) {
    this.value = value2;
  }
};
var Duration = class {
  nanos;
  constructor(nanos) {
    this.nanos = nanos;
  }
};
var Timestamp = class {
  nanos;
  offsetSeconds;
  constructor(nanos, offsetSeconds = 0) {
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
};
var Optional = class _Optional {
  static none = new _Optional(void 0);
  value;
  constructor(value2) {
    this.value = value2;
  }
};
var TypeValue = class {
  name;
  constructor(name) {
    this.name = name;
  }
};
var OpaqueValue = class {
  /** What cost tracking takes for the value's size, when it has one. */
  size() {
    return void 0;
  }
};
var CelList = class {
  /** Indexing as `list[index]` does it, with its errors. */
  get(index2) {
    const position = listIndex(index2);
    if (position instanceof CelError) return position;
    if (position < 0 || position >= this.size) {
      return new CelError(`index '${position}' out of range in list size '${this.size}'`);
    }
    return this.at(position);
  }
  *[Symbol.iterator]() {
    for (let index2 = 0; index2 < this.size; index2++) yield this.at(index2);
  }
};
var CelMap = class {
};
var ArrayList = class _ArrayList extends CelList {
  elements;
  constructor(elements) {
    super();
    this.elements = elements;
  }
  get size() {
    return this.elements.length;
  }
  at(index2) {
    return this.elements[index2];
  }
  equals(other) {
    return listEquals(this, other);
  }
  contains(value2) {
    return this.elements.some((element) => equalTo(value2, element) === true);
  }
  concat(other) {
    if (!(other instanceof CelList)) return noOverloadFor(other);
    if (this.size === 0) return other;
    if (other.size === 0) return this;
    return new _ArrayList([...this.elements, ...other]);
  }
};
function listEquals(list2, other) {
  if (!(other instanceof CelList) || list2.size !== other.size) return false;
  for (let index2 = 0; index2 < list2.size; index2++) {
    if (celEquals(list2.at(index2), other.at(index2)) === false) return false;
  }
  return true;
}
function keyToken(key2) {
  if (typeof key2 === "string") return key2.startsWith("\0") ? `\0s${key2}` : key2;
  if (key2 instanceof Uint) return `\0u${key2.value}`;
  return key2;
}
var EntryMap = class _EntryMap extends CelMap {
  #entries = /* @__PURE__ */ new Map();
  static of(entries) {
    const map2 = new _EntryMap();
    for (const [key2, value2] of entries) map2.set(key2, value2);
    return map2;
  }
  get size() {
    return this.#entries.size;
  }
  set(key2, value2) {
    this.#entries.set(keyToken(key2), [key2, value2]);
  }
  delete(key2) {
    this.#entries.delete(keyToken(key2));
  }
  *keys() {
    for (const [key2] of this.#entries.values()) yield key2;
  }
  /** Numbers find an equal number of another type: `{1: 'a'}[1u]` is 'a'. */
  find(key2) {
    if (this.#entries.size === 0) return void 0;
    const exact = this.#entries.get(keyToken(key2));
    if (exact !== void 0) return exact[1];
    if (typeof key2 === "number") {
      if (!Number.isInteger(key2)) return void 0;
      const integer = BigInt(key2);
      return this.#number(integer) ?? this.#number(new Uint(integer));
    }
    if (typeof key2 === "bigint") return key2 >= 0n ? this.#number(new Uint(key2)) : void 0;
    if (key2 instanceof Uint) return this.#number(key2.value);
    return void 0;
  }
  #number(key2) {
    return this.#entries.get(keyToken(key2))?.[1];
  }
  equals(other) {
    return mapEquals(this, other);
  }
};
function mapEquals(map2, other) {
  if (!(other instanceof CelMap) || map2.size !== other.size) return false;
  for (const key2 of map2.keys()) {
    const value2 = map2.find(key2);
    const otherValue = other.find(key2);
    if (otherValue === void 0) return false;
    if (value2 === void 0 || celEquals(value2, otherValue) === false) return false;
  }
  return true;
}
function listIndex(index2) {
  if (typeof index2 === "bigint") return Number(index2);
  if (typeof index2 === "number") {
    return Number.isInteger(index2) ? index2 : new CelError(`unsupported index value ${printValue(index2)} in list`);
  }
  if (index2 instanceof Uint) return Number(index2.value);
  if (index2 instanceof CelError) return index2;
  return new CelError(`unsupported index type '${typeName(index2)}' in list`);
}
function celEquals(left, right) {
  if (left === null || right === null) return left === right;
  return equalTo(left, right);
}
function equalTo(left, right) {
  switch (typeof left) {
    case "string":
    case "boolean":
      return left === right;
    case "bigint":
      if (typeof right === "bigint") return left === right;
      if (typeof right === "number" || right instanceof Uint) return compareNumbers(left, right) === 0;
      return false;
    case "number":
      if (typeof right === "number") return left === right;
      if (typeof right === "bigint" || right instanceof Uint) return compareNumbers(left, right) === 0;
      return false;
    default:
      return objectEquals(left, right);
  }
}
function objectEquals(left, right) {
  if (left === null) return right === null;
  if (left instanceof CelList || left instanceof CelMap || left instanceof OpaqueValue) return left.equals(right);
  if (left instanceof Uint) {
    if (right instanceof Uint) return left.value === right.value;
    if (typeof right === "bigint" || typeof right === "number") return compareNumbers(left, right) === 0;
    return false;
  }
  if (left instanceof CelError) return left;
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name;
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right) === 0;
  if (left instanceof Optional) return right instanceof Optional && optionalEquals(left, right);
  return false;
}
function optionalEquals(left, right) {
  if (left.value === void 0 || right.value === void 0) return left.value === right.value;
  return equalTo(left.value, right.value);
}
var minInt = -(2n ** 63n);
var maxInt = 2n ** 63n - 1n;
var maxUint = 2n ** 64n - 1n;
function compareNumbers(left, right) {
  if (typeof left === "number") return compareDouble(left, right);
  if (typeof right === "number") return -compareDouble(right, left);
  const a = left instanceof Uint ? left.value : left;
  const b = right instanceof Uint ? right.value : right;
  return a < b ? -1 : a > b ? 1 : 0;
}
function compareDouble(left, right) {
  if (Number.isNaN(left)) return Number.NaN;
  if (typeof right === "number") return Number.isNaN(right) ? Number.NaN : Math.sign(left - right) || order(left, right);
  const [low, high, value2] = right instanceof Uint ? [0n, maxUint, right.value] : [minInt, maxInt, right];
  if (left < Number(low)) return -1;
  if (left > Number(high)) return 1;
  return order(left, Number(value2));
}
function order(left, right) {
  return left < right ? -1 : left > right ? 1 : 0;
}
function sizeOf(value2) {
  if (typeof value2 === "string") return stringLength(value2);
  if (value2 instanceof CelList || value2 instanceof CelMap) return value2.size;
  if (value2 instanceof Uint8Array) return value2.length;
  if (value2 instanceof OpaqueValue) return value2.size();
  return void 0;
}
function typeName(value2) {
  switch (typeof value2) {
    case "string":
      return "string";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "boolean":
      return "bool";
    default:
  }
  if (value2 === null) return "null_type";
  if (value2 instanceof Uint) return "uint";
  if (value2 instanceof Uint8Array) return "bytes";
  if (value2 instanceof CelList) return "list";
  if (value2 instanceof CelMap) return "map";
  if (value2 instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value2 instanceof Duration) return "google.protobuf.Duration";
  if (value2 instanceof TypeValue) return "type";
  if (value2 instanceof Optional) return "optional_type";
  if (value2 instanceof OpaqueValue) return value2.typeName;
  return "error";
}
function printValue(value2) {
  if (typeof value2 === "number") return formatDouble(value2);
  if (value2 instanceof Uint) return value2.value.toString();
  if (value2 instanceof CelList) return `[${[...value2].map(printValue).join(", ")}]`;
  if (value2 instanceof CelMap) {
    const entries = [...value2.keys()].map((key2) => `${printValue(key2)}: ${printValue(value2.find(key2) ?? null)}`);
    return `{${entries.join(", ")}}`;
  }
  if (value2 instanceof Uint8Array) return `[${[...value2].join(" ")}]`;
  if (value2 instanceof TypeValue) return value2.name;
  if (value2 instanceof Optional) {
    return value2.value === void 0 ? "optional.none()" : `optional(${printValue(value2.value)})`;
  }
  if (value2 instanceof CelError) return value2.message;
  if (value2 instanceof OpaqueValue || value2 instanceof Timestamp || value2 instanceof Duration) return typeName(value2);
  return String(value2);
}

// packages/expressions/src/cel/time.ts
var second = 1000000000n;
var unitNanos = {
  ns: 1n,
  us: 1000n,
  \u00B5s: 1000n,
  \u03BCs: 1000n,
  ms: 1000000n,
  s: second,
  m: 60n * second,
  h: 3600n * second
};
var maxInt64 = 2n ** 63n - 1n;
function parseGoDuration(text2) {
  const negative = text2.startsWith("-");
  let rest = /^[+-]/.test(text2) ? text2.slice(1) : text2;
  if (rest === "0") return 0n;
  if (rest === "") return void 0;
  let total = 0n;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (match === null) return void 0;
    const [matched2, whole = "", fraction = "", unit = ""] = match;
    if (whole === "" && fraction === "") return void 0;
    const scale = unitNanos[unit];
    total += BigInt(whole || "0") * scale;
    if (fraction !== "") total += BigInt(fraction) * scale / 10n ** BigInt(fraction.length);
    if (total > maxInt64 + 1n) return void 0;
    rest = rest.slice(matched2.length);
  }
  if (negative) return -total;
  return total > maxInt64 ? void 0 : total;
}
function formatSeconds({ nanos }) {
  const value2 = Number(nanos / second) + Number(nanos % second) / 1e9;
  return `${plainDecimal(value2)}s`;
}
var rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})?$/;
function parseTimestamp(text2, { zoneOptional = false } = {}) {
  const match = rfc3339.exec(text2);
  if (match === null || match[8] === void 0 && !zoneOptional) return void 0;
  const [year, month, day, hours, minutes, seconds] = match.slice(1, 7).map(Number);
  const offset = zoneOffset(match[8] ?? "Z");
  if (offset === void 0 || hours > 23 || minutes > 59 || seconds > 59) return void 0;
  const days = epochDays(year, month, day);
  if (days === void 0) return void 0;
  const fraction = (match[7] ?? "").slice(0, 9).padEnd(9, "0");
  const unix = days * 86400 + hours * 3600 + minutes * 60 + seconds - offset;
  return new Timestamp(BigInt(unix) * second + BigInt(fraction), offset);
}
function parseDate(text2) {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text2);
  if (match === null) return void 0;
  const days = epochDays(Number(match[1]), Number(match[2]), Number(match[3]));
  return days === void 0 ? void 0 : new Timestamp(BigInt(days * 86400) * second);
}
function zoneOffset(zone) {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 24 || minutes > 59) return void 0;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
}
function epochDays(year, month, day) {
  if (month < 1 || month > 12 || day < 1) return void 0;
  const date = /* @__PURE__ */ new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) return void 0;
  return Math.round(date.getTime() / 864e5);
}
var minSeconds = -62135596800n;
var maxSeconds = 253402300799n;
function isInTimestampRange(nanos) {
  const seconds = floorSeconds(nanos);
  return seconds >= minSeconds && seconds <= maxSeconds;
}
function floorSeconds(nanos) {
  const quotient = nanos / second;
  return nanos < 0n && nanos % second !== 0n ? quotient - 1n : quotient;
}
function formatTimestamp(time2) {
  const parts = fieldsAt(time2.nanos, time2.offsetSeconds);
  const two = (value2) => value2.toString().padStart(2, "0");
  const date = `${parts.year.toString().padStart(4, "0")}-${two(parts.month + 1)}-${two(parts.day)}`;
  const fraction = parts.nanosecond === 0 ? "" : `.${parts.nanosecond.toString().padStart(9, "0").replace(/0+$/, "")}`;
  return `${date}T${two(parts.hours)}:${two(parts.minutes)}:${two(parts.seconds)}${fraction}${formatZone(time2)}`;
}
function formatZone({ offsetSeconds }) {
  if (offsetSeconds === 0) return "Z";
  const minutes = Math.trunc(Math.abs(offsetSeconds) / 60);
  const two = (value2) => value2.toString().padStart(2, "0");
  return `${offsetSeconds < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}
function fieldsAt(nanos, offsetSeconds) {
  const unix = floorSeconds(nanos);
  const nanosecond = Number(nanos - unix * second);
  const date = new Date((Number(unix) + offsetSeconds) * 1e3);
  const year = date.getUTCFullYear();
  const newYear = /* @__PURE__ */ new Date(0);
  newYear.setUTCFullYear(year, 0, 1);
  const midnight = Math.floor(date.getTime() / 864e5);
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    dayOfYear: midnight - Math.round(newYear.getTime() / 864e5),
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    nanosecond
  };
}
function offsetOf(zone, nanos) {
  const colon = zone.indexOf(":");
  if (colon === -1) return namedOffset(zone, nanos);
  const hours = parseAtoi(zone.slice(0, colon));
  if (hours instanceof Error) return hours;
  const minutes = parseAtoi(zone.slice(colon + 1));
  if (minutes instanceof Error) return minutes;
  return 60 * (zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes);
}
function parseAtoi(text2) {
  if (/^[+-]?\d+$/.test(text2)) return Number(text2);
  return new Error(`strconv.Atoi: parsing ${JSON.stringify(text2)}: invalid syntax`);
}
var zoneFormats = /* @__PURE__ */ new Map();
function namedOffset(zone, nanos) {
  if (zone === "" || zone === "UTC") return 0;
  let format = zoneFormats.get(zone);
  if (format === void 0) {
    try {
      format = new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric"
      });
    } catch {
      return new Error(`unknown time zone ${zone}`);
    }
    zoneFormats.set(zone, format);
  }
  const millis = Number(floorSeconds(nanos)) * 1e3;
  const parts = {};
  for (const { type, value: value2 } of format.formatToParts(millis)) parts[type] = Number(value2);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  const local = Date.UTC(year, month - 1, day, hour, minute, seconds);
  return Math.round((local - millis) / 1e3);
}
var durationUnits = [
  [1n, ["ns", "nano"]],
  [1000n, ["us", "\xB5s", "micro"]],
  [1000000n, ["ms", "milli"]],
  [second, ["s", "sec"]],
  [60n * second, ["m", "min"]],
  [3600n * second, ["h", "hr", "hour"]],
  [86400n * second, ["d", "day"]],
  [604800n * second, ["w", "wk", "week"]]
];

// packages/expressions/src/cel/functions/go-text.ts
var named = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "	": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"'
};
var printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
function goQuote2(text2) {
  let quoted = '"';
  for (const character of text2) {
    const escape2 = named[character];
    if (escape2 !== void 0) quoted += escape2;
    else if (printable.test(character)) quoted += character;
    else quoted += hexEscape(character.codePointAt(0));
  }
  return `${quoted}"`;
}
function hexEscape(code) {
  const hex2 = code.toString(16);
  if (code < 128) return `\\x${hex2.padStart(2, "0")}`;
  return code <= 65535 ? `\\u${hex2.padStart(4, "0")}` : `\\U${hex2.padStart(8, "0")}`;
}
var space = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
var leadingSpace = new RegExp(`^${space}`);
var trailingSpace = new RegExp(`${space}$`);
function trimSpace(text2) {
  return text2.replace(leadingSpace, "").replace(trailingSpace, "");
}
function splitText(text2, separator, limit = -1) {
  if (limit === 0) return [];
  const parts = separator === "" ? Array.from(text2) : text2.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}
function replaceText(text2, old, replacement, limit = -1) {
  if (limit === 0) return text2;
  if (old !== "") {
    if (limit < 0) return text2.replaceAll(old, () => replacement);
    const parts = text2.split(old);
    const replaced = Math.min(limit, parts.length - 1);
    return parts.slice(0, replaced + 1).join(replacement) + parts.slice(replaced + 1).map((part) => old + part).join("");
  }
  const characters = Array.from(text2);
  const count = limit < 0 ? characters.length + 1 : Math.min(limit, characters.length + 1);
  const spread = characters.map((character, index2) => index2 < count ? replacement + character : character).join("");
  return count > characters.length ? spread + replacement : spread;
}

// packages/expressions/src/cel/functions/ip-address.ts
function parseAddress(text2) {
  const first = /[.:%]/.exec(text2)?.[0];
  if (first === ".") {
    const bytes = parseIpv4(text2, text2);
    return typeof bytes === "string" ? bytes : { bytes, zone: "" };
  }
  if (first === ":") return parseIpv6(text2);
  return problem(text2, first === "%" ? "missing IPv6 address" : "unable to parse IP");
}
function problem(text2, message, at = "") {
  const where = at === "" ? "" : ` (at ${goQuote2(at)})`;
  return `ParseAddr(${goQuote2(text2)}): ${message}${where}`;
}
function parseIpv4(text2, part) {
  const bytes = [];
  let value2 = 0;
  let digits = 0;
  for (let index2 = 0; index2 < part.length; index2++) {
    const character = part[index2];
    if (character >= "0" && character <= "9") {
      if (digits === 1 && value2 === 0) return problem(text2, "IPv4 field has octet with leading zero");
      value2 = value2 * 10 + Number(character);
      digits++;
      if (value2 > 255) return problem(text2, "IPv4 field has value >255");
    } else if (character === ".") {
      if (index2 === 0 || index2 === part.length - 1 || part[index2 - 1] === ".") {
        return problem(text2, "IPv4 field must have at least one digit", part.slice(index2));
      }
      if (bytes.length === 3) return problem(text2, "IPv4 address too long");
      bytes.push(value2);
      value2 = 0;
      digits = 0;
    } else {
      return problem(text2, "unexpected character", part.slice(index2));
    }
  }
  if (bytes.length < 3) return problem(text2, "IPv4 address too short");
  return [...bytes, value2];
}
function parseIpv6(text2) {
  const percent = text2.indexOf("%");
  const zone = percent === -1 ? "" : text2.slice(percent + 1);
  if (percent !== -1 && zone === "") return problem(text2, "zone must be a non-empty string");
  let rest = percent === -1 ? text2 : text2.slice(0, percent);
  const bytes = [];
  let ellipsis = -1;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === "") return { bytes: zeros(16), zone };
  }
  while (bytes.length < 16) {
    const group = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
    if (group.length > 4) return problem(text2, "each group must have 4 or less digits", rest);
    if (group === "") {
      return problem(text2, "each colon-separated field must have at least one digit", rest);
    }
    if (rest[group.length] === ".") {
      const embedded = parseEmbedded(text2, rest, bytes.length, ellipsis);
      if (typeof embedded === "string") return embedded;
      bytes.push(...embedded);
      rest = "";
      break;
    }
    const value2 = Number.parseInt(group, 16);
    bytes.push(value2 >> 8, value2 & 255);
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (rest[0] !== ":") return problem(text2, "unexpected character, want colon", rest);
    if (rest.length === 1) return problem(text2, "colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest[0] === ":") {
      if (ellipsis >= 0) return problem(text2, "multiple :: in address", rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") return problem(text2, "trailing garbage after address", rest);
  if (bytes.length < 16) {
    if (ellipsis < 0) return problem(text2, "address string too short");
    bytes.splice(ellipsis, 0, ...zeros(16 - bytes.length));
  } else if (ellipsis >= 0) {
    return problem(text2, "the :: must expand to at least one field of zeros");
  }
  return { bytes, zone };
}
function zeros(count) {
  return Array.from({ length: count }, () => 0);
}
function parseEmbedded(text2, rest, position, ellipsis) {
  if (ellipsis < 0 && position !== 12) {
    return problem(text2, "embedded IPv4 address must replace the final 2 fields of the address", rest);
  }
  if (position + 4 > 16) {
    return problem(text2, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  }
  return parseIpv4(text2, rest);
}
function isMapped({ bytes }) {
  return bytes.length === 16 && bytes.slice(0, 10).every((byte2) => byte2 === 0) && bytes[10] === 255 && bytes[11] === 255;
}
function formatAddress({ bytes, zone }) {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from(
    { length: 8 },
    (_, index2) => bytes[2 * index2] * 256 + bytes[2 * index2 + 1]
  );
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex2 = (part) => part.map((group) => group.toString(16)).join(":");
  const suffix = zone === "" ? "" : `%${zone}`;
  if (best.start === -1) return hex2(groups) + suffix;
  return `${hex2(groups.slice(0, best.start))}::${hex2(groups.slice(best.start + best.length))}${suffix}`;
}
function sharesPrefix(left, right, bits) {
  if (left.bytes.length !== right.bytes.length) return false;
  const a = maskBytes(left.bytes, bits);
  const b = maskBytes(right.bytes, bits);
  return a.every((byte2, index2) => byte2 === b[index2]);
}
function maskBytes(bytes, bits) {
  return bytes.map((byte2, index2) => {
    const kept = Math.max(0, Math.min(8, bits - index2 * 8));
    return byte2 & 255 << 8 - kept & 255;
  });
}

// packages/expressions/src/cel/functions/go-url.ts
var unescapedIn = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  host: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  zone: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  query: /[A-Za-z0-9\-_.~]/,
  userinfo: /[A-Za-z0-9\-_.~$&+,;=]/,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/
};
function escape(text2, mode) {
  const safe = unescapedIn[mode];
  let escaped = "";
  for (const byte2 of Buffer.from(text2, "latin1")) {
    const character = String.fromCharCode(byte2);
    escaped += byte2 < 128 && safe.test(character) ? character : `%${byte2.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}
function unescape(text2, mode) {
  for (let index2 = 0; index2 < text2.length; index2++) {
    const character = text2[index2];
    if (character === "%") {
      const sequence = text2.slice(index2, index2 + 3);
      if (!/^%[0-9a-fA-F]{2}$/.test(sequence)) throw new Error(`invalid URL escape ${goQuote2(sequence)}`);
      const code = Number.parseInt(sequence.slice(1), 16);
      const isHostByte = mode === "host" && code < 128 && sequence !== "%25";
      const isZoneByte = mode === "zone" && sequence !== "%25" && code !== 32 && !unescapedIn.host.test(String.fromCharCode(code));
      if (isHostByte || isZoneByte) throw new Error(`invalid URL escape ${goQuote2(sequence)}`);
      index2 += 2;
    } else if ((mode === "host" || mode === "zone") && character < "\x80" && !unescapedIn[mode].test(character)) {
      throw new Error(`invalid character ${goQuote2(character)} in host name`);
    }
  }
  const plain = mode === "query" ? text2.replaceAll("+", " ") : text2;
  return plain.replace(/%([0-9a-fA-F]{2})/g, (_, hex2) => String.fromCharCode(Number.parseInt(hex2, 16)));
}
var toBytes = (text2) => Buffer.from(text2, "utf8").toString("latin1");
var fromBytes = (bytes) => Buffer.from(bytes, "latin1").toString("utf8");
function parseRequestUri(text2) {
  return parse(text2, text2, true);
}
function parseUrl(text2) {
  const hash = text2.indexOf("#");
  const url2 = parse(hash === -1 ? text2 : text2.slice(0, hash), text2, false);
  if (hash === -1) return url2;
  return { ...url2, fragment: fromBytes(unescape(toBytes(text2.slice(hash + 1)), "fragment")) };
}
function parse(text2, shown2, viaRequest) {
  try {
    return parseParts(toBytes(text2), viaRequest);
  } catch (error) {
    throw new Error(`parse ${goQuote2(viaRequest ? shown2 : text2)}: ${error.message}`);
  }
}
function parseParts(text2, viaRequest) {
  const url2 = {
    scheme: "",
    opaque: "",
    userinfo: void 0,
    host: "",
    path: "",
    rawPath: "",
    query: "",
    forceQuery: false,
    fragment: "",
    omitHost: false
  };
  if (/[\x00-\x1f\x7f]/.test(text2)) throw new Error("net/url: invalid control character in URL");
  if (text2 === "" && viaRequest) throw new Error("empty url");
  if (text2 === "*") return { ...url2, path: "*" };
  if (text2.startsWith(":")) throw new Error("missing protocol scheme");
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text2);
  let rest = scheme === null ? text2 : text2.slice(scheme[0].length);
  url2.scheme = scheme?.[1]?.toLowerCase() ?? "";
  if (rest.endsWith("?") && rest.indexOf("?") === rest.length - 1) {
    url2.forceQuery = true;
    rest = rest.slice(0, -1);
  } else if (rest.includes("?")) {
    url2.query = fromBytes(rest.slice(rest.indexOf("?") + 1));
    rest = rest.slice(0, rest.indexOf("?"));
  }
  if (!rest.startsWith("/")) {
    if (url2.scheme !== "") return { ...url2, opaque: fromBytes(rest) };
    if (viaRequest) throw new Error("invalid URI for request");
    if ((rest.split("/")[0] ?? "").includes(":")) throw new Error("first path segment in URL cannot contain colon");
  }
  if ((url2.scheme !== "" || !viaRequest && !rest.startsWith("///")) && rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash === -1 ? "" : rest.slice(slash);
    parseAuthority(url2, authority);
  } else if (url2.scheme !== "" && rest.startsWith("/")) {
    url2.omitHost = true;
  }
  const path = unescape(rest, "path");
  url2.path = fromBytes(path);
  url2.rawPath = escape(path, "path") === rest ? "" : rest;
  return url2;
}
function parseAuthority(url2, authority) {
  const at = authority.lastIndexOf("@");
  url2.host = fromBytes(parseHost(url2.scheme, authority.slice(at + 1)));
  if (at === -1) return;
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo)) throw new Error("net/url: invalid userinfo");
  url2.userinfo = userinfo.split(/:(.*)/s, 2).map((part) => escape(unescape(part, "userinfo"), "userinfo")).join(":");
}
var validPort = /^(:\d*)?$/;
function parseHost(scheme, host) {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new Error("invalid IP-literal");
  if (open === 0) return parseIpLiteral(host);
  const first = host.indexOf(":");
  if (first !== -1) {
    const isWeb = scheme === "http" || scheme === "https";
    const port = host.slice(isWeb ? first : host.lastIndexOf(":"));
    if (!validPort.test(port)) throw new Error(`invalid port ${goQuote2(port)} after host`);
  }
  return unescape(host, "host");
}
function parseIpLiteral(host) {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new Error("missing ']' in host");
  const port = host.slice(close + 1);
  if (!validPort.test(port)) throw new Error(`invalid port ${goQuote2(port)} after host`);
  const inner = host.slice(1, close);
  const zone = inner.indexOf("%25");
  const name = zone === -1 ? unescape(inner, "host") : unescape(inner.slice(0, zone), "host") + unescape(inner.slice(zone), "zone");
  const address = parseAddress(name);
  if (typeof address === "string") throw new Error(`invalid host: ${address}`);
  if (address.bytes.length === 4) throw new Error("invalid IP-literal");
  return `[${name}]${port}`;
}
function escapedPath({ path, rawPath }) {
  const isValid = Array.from(rawPath).every(
    (character) => /[!'()*[\]%]/.test(character) || unescapedIn.path.test(character)
  );
  if (rawPath !== "" && isValid) return rawPath;
  return path === "*" ? "*" : escape(toBytes(path), "path");
}
function splitHostPort(hostPort) {
  const colon = hostPort.lastIndexOf(":");
  const hasPort = colon !== -1 && validPort.test(hostPort.slice(colon));
  const host = hasPort ? hostPort.slice(0, colon) : hostPort;
  return {
    host: host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host,
    port: hasPort ? hostPort.slice(colon + 1) : ""
  };
}
function queryValues({ query }) {
  const values = /* @__PURE__ */ new Map();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const [key2 = "", value2 = ""] = pair.split(/=(.*)/s, 2);
    try {
      const name = fromBytes(unescape(toBytes(key2), "query"));
      const decoded = fromBytes(unescape(toBytes(value2), "query"));
      values.set(name, [...values.get(name) ?? [], decoded]);
    } catch {
    }
  }
  return values;
}
function formatUrl(url2) {
  let text2 = url2.scheme === "" ? "" : `${url2.scheme}:`;
  if (url2.opaque !== "") {
    text2 += url2.opaque;
  } else {
    const hasAuthority = url2.scheme !== "" || url2.host !== "" || url2.userinfo !== void 0;
    if (hasAuthority && !(url2.omitHost && url2.host === "" && url2.userinfo === void 0)) {
      if (url2.host !== "" || url2.path !== "" || url2.userinfo !== void 0) text2 += "//";
      if (url2.userinfo !== void 0) text2 += `${url2.userinfo}@`;
      text2 += escape(toBytes(url2.host), "host");
    }
    const path = escapedPath(url2);
    if (path !== "" && !path.startsWith("/") && url2.host !== "") text2 += "/";
    text2 += path;
  }
  if (url2.forceQuery || url2.query !== "") text2 += `?${url2.query}`;
  return url2.fragment === "" ? text2 : `${text2}#${escape(toBytes(url2.fragment), "fragment")}`;
}

// packages/expressions/src/cel/functions/implementation.ts
function overload(id, implementation) {
  return [id, implementation];
}

// packages/expressions/src/cel/functions/formats.ts
var NamedFormat = class _NamedFormat extends OpaqueValue {
  typeName = "kubernetes.NamedFormat";
  name;
  /** What cost tracking takes for the length of the pattern behind the format. */
  regexSize;
  validate;
  constructor(name, regexSize, validate3) {
    super();
    this.name = name;
    this.regexSize = regexSize;
    this.validate = validate3;
  }
  equals(other) {
    return other instanceof _NamedFormat ? this.name === other.name : noOverloadFor(other);
  }
};
function tooLong2(text2, max) {
  return Buffer.byteLength(text2) > max ? [`must be no more than ${max} bytes`] : [];
}
function regexError(message, pattern, ...examples) {
  const shown2 = examples.map((example) => `'${example}', `).join(" or ");
  return `${message} (e.g. ${shown2}regex used for validation is '${pattern}')`;
}
function matchesWhole(pattern, text2) {
  return new RegExp(`^(?:${pattern})$`).test(text2);
}
var label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
var subdomain = `${label}(\\.${label})*`;
var dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
var labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
var labelKeyMessage = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
function validateLabel(text2) {
  const errors = tooLong2(text2, 63);
  if (matchesWhole(label, text2)) return errors;
  if (matchesWhole(subdomain, text2)) return [...errors, "must not contain dots"];
  const message = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...errors, regexError(message, label, "my-name", "123-abc")];
}
function validateSubdomain(text2) {
  const errors = tooLong2(text2, 253);
  if (matchesWhole(subdomain, text2)) return errors;
  const message = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(message, subdomain, "example.com")];
}
function validateDns1035(text2) {
  const errors = tooLong2(text2, 63);
  if (matchesWhole(dns1035, text2)) return errors;
  const message = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...errors, regexError(message, dns1035, "my-name", "abc-123")];
}
function validateQualifiedName(text2) {
  const parts = text2.split("/");
  const nameError = regexError(labelKeyMessage, labelKey, "MyName", "my.name", "123-abc");
  if (parts.length > 2) {
    return [`a valid label key ${nameError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const errors = [];
  const name = parts.at(-1);
  const prefix = parts.length === 2 ? parts[0] : void 0;
  if (prefix === "") errors.push("prefix part must be non-empty");
  else if (prefix !== void 0) errors.push(...validateSubdomain(prefix).map((error) => `prefix part ${error}`));
  if (name === "") errors.push("name part must be non-empty");
  else errors.push(...tooLong2(name, 63).map((error) => `name part ${error}`));
  if (!matchesWhole(labelKey, name)) errors.push(`name part ${nameError}`);
  return errors;
}
function validateLabelValue(text2) {
  const errors = tooLong2(text2, 63);
  const pattern = `(${labelKey})?`;
  if (matchesWhole(pattern, text2)) return errors;
  const message = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return [...errors, regexError(message, pattern, "MyValue", "my_value", "12345")];
}
function asPrefix(validate3) {
  return (text2) => validate3(text2.length > 1 && text2.endsWith("-") ? `${text2.slice(0, -2)}a` : text2);
}
function validateUri(text2) {
  try {
    parseRequestUri(text2);
    return [];
  } catch (error) {
    return [error.message];
  }
}
function validWhen(isValid, message) {
  return (text2) => isValid(text2) ? [] : [message];
}
var uuid2 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
var base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
var time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/;
function isDateTime(text2) {
  const [date = "", rest] = text2.toLowerCase().split("t");
  if (text2.length < 4 || rest === void 0 || parseDate(date) === void 0) return false;
  const match = time.exec(rest);
  return match !== null && match[1] <= "23" && match[2] <= "59" && match[3] <= "59";
}
var timePatternSize = 71;
var uuidPatternSize = 70;
var formats = /* @__PURE__ */ new Map([
  ["dns1123Label", new NamedFormat("DNS1123Label", 30, validateLabel)],
  ["dns1123Subdomain", new NamedFormat("DNS1123Subdomain", 60, validateSubdomain)],
  ["dns1035Label", new NamedFormat("DNS1035Label", 30, validateDns1035)],
  ["qualifiedName", new NamedFormat("QualifiedName", 60, validateQualifiedName)],
  ["dns1123LabelPrefix", new NamedFormat("DNS1123LabelPrefix", 30, asPrefix(validateLabel))],
  ["dns1123SubdomainPrefix", new NamedFormat("DNS1123SubdomainPrefix", 60, asPrefix(validateSubdomain))],
  ["dns1035LabelPrefix", new NamedFormat("DNS1035LabelPrefix", 30, asPrefix(validateDns1035))],
  ["labelValue", new NamedFormat("LabelValue", 40, validateLabelValue)],
  ["uri", new NamedFormat("URI", 1103, validateUri)],
  [
    "uuid",
    new NamedFormat(
      "uuid",
      uuidPatternSize,
      validWhen((text2) => uuid2.test(text2), "does not match the UUID format")
    )
  ],
  [
    "byte",
    new NamedFormat(
      "byte",
      84,
      validWhen((text2) => base64.test(text2), "invalid base64")
    )
  ],
  [
    "date",
    new NamedFormat(
      "date",
      timePatternSize,
      validWhen((text2) => parseDate(text2) !== void 0, "invalid date")
    )
  ],
  ["datetime", new NamedFormat("datetime", timePatternSize, validWhen(isDateTime, "invalid datetime"))]
]);
function validate(format, text2) {
  const errors = format.validate(text2);
  return errors.length === 0 ? Optional.none : new Optional(new ArrayList(errors));
}
function named2(name) {
  const format = formats.get(name);
  return format === void 0 ? Optional.none : new Optional(format);
}
var formatOverloads = [
  overload("format-validate", validate),
  overload("format-named", named2),
  ...[...formats].map(([name, format]) => overload(`format.${name}`, () => format))
];

// packages/expressions/src/cel/functions/authorization.ts
var AuthorizationValue = class extends OpaqueValue {
  equals() {
    return noSuchOverload;
  }
};
var AuthorizerValue = class extends AuthorizationValue {
  typeName = "kubernetes.authorization.Authorizer";
  asking;
  constructor(authorizer, serviceAccount2) {
    super();
    this.asking = { authorizer, serviceAccount: serviceAccount2 };
  }
};
var PathCheck = class extends AuthorizationValue {
  typeName = "kubernetes.authorization.PathCheck";
  asking;
  path;
  constructor(asking, path) {
    super();
    this.asking = asking;
    this.path = path;
  }
};
var GroupCheck = class extends AuthorizationValue {
  typeName = "kubernetes.authorization.GroupCheck";
  asking;
  group;
  constructor(asking, group) {
    super();
    this.asking = asking;
    this.group = group;
  }
};
var ResourceCheck = class _ResourceCheck extends AuthorizationValue {
  typeName = "kubernetes.authorization.ResourceCheck";
  asking;
  attributes;
  constructor(asking, attributes) {
    super();
    this.asking = asking;
    this.attributes = attributes;
  }
  with(changed) {
    return new _ResourceCheck(this.asking, { ...this.attributes, ...changed });
  }
};
var Decision = class extends AuthorizationValue {
  typeName = "kubernetes.authorization.Decision";
  decision;
  constructor(decision) {
    super();
    this.decision = decision;
  }
};
var noSelectors = { subresource: "", namespace: "", name: "", fieldSelector: "", labelSelector: "" };
function decide({ authorizer, serviceAccount: serviceAccount2 }, check2) {
  return new Decision(authorizer.authorize({ ...check2, serviceAccount: serviceAccount2 }));
}
function serviceAccount({ asking }, namespace, name) {
  if (validateSubdomain(name).length > 0) return new CelError("Invalid service account name");
  if (validateLabel(namespace).length > 0) return new CelError("Invalid service account namespace");
  return new AuthorizerValue(asking.authorizer, { namespace, name });
}
var authorizationOverloads = [
  overload(
    "authorizer_path",
    ({ asking }, path) => trimSpace(path) === "" ? new CelError("path must not be empty") : new PathCheck(asking, path)
  ),
  overload("authorizer_group", ({ asking }, group) => new GroupCheck(asking, group)),
  overload("authorizer_serviceaccount", serviceAccount),
  overload(
    "groupcheck_resource",
    ({ asking, group }, resource) => trimSpace(resource) === "" ? new CelError("resource must not be empty") : new ResourceCheck(asking, { group, resource, ...noSelectors })
  ),
  overload("resourcecheck_subresource", (check2, subresource) => check2.with({ subresource })),
  overload("resourcecheck_namespace", (check2, namespace) => check2.with({ namespace })),
  overload("resourcecheck_name", (check2, name) => check2.with({ name })),
  overload("authorizer_fieldselector", (check2, fieldSelector) => check2.with({ fieldSelector })),
  overload("authorizer_labelselector", (check2, labelSelector) => check2.with({ labelSelector })),
  overload(
    "pathcheck_check",
    ({ asking, path }, verb) => decide(asking, { kind: "path", path, verb, serviceAccount: void 0 })
  ),
  overload(
    "resourcecheck_check",
    ({ asking, attributes }, verb) => decide(asking, { kind: "resource", ...attributes, verb, serviceAccount: void 0 })
  ),
  overload("decision_allowed", ({ decision }) => decision.allowed),
  overload("decision_reason", ({ decision }) => decision.reason),
  overload("decision_errored", ({ decision }) => decision.error !== void 0),
  overload("decision_error", ({ decision }) => decision.error ?? "")
];

// packages/expressions/src/cel/declarations/kubernetes.ts
var kubernetesDeclarations = `
add quantity_add .(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity
add quantity_add_int .(kubernetes.Quantity, int) -> kubernetes.Quantity
allowed decision_allowed .(kubernetes.authorization.Decision) -> bool
asApproximateFloat quantity_get_float .(kubernetes.Quantity) -> double
asInteger quantity_get_int .(kubernetes.Quantity) -> int
check pathcheck_check .(kubernetes.authorization.PathCheck, string) -> kubernetes.authorization.Decision
check resourcecheck_check .(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.Decision
cidr string_to_cidr (string) -> net.CIDR
compareTo quantity_compare_to .(kubernetes.Quantity, kubernetes.Quantity) -> int
compareTo semver_compare_to .(kubernetes.Semver, kubernetes.Semver) -> int
containsCIDR cidr_contains_cidr_string .(net.CIDR, string) -> bool
containsCIDR cidr_contains_cidr .(net.CIDR, net.CIDR) -> bool
containsIP cidr_contains_ip_string .(net.CIDR, string) -> bool
containsIP cidr_contains_ip_ip .(net.CIDR, net.IP) -> bool
error decision_error .(kubernetes.authorization.Decision) -> string
errored decision_errored .(kubernetes.authorization.Decision) -> bool
family ip_family .(net.IP) -> int
fieldSelector authorizer_fieldselector .(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
find string_find_string .(string, string) -> string
findAll string_find_all_string .(string, string) -> list(string)
findAll string_find_all_string_int .(string, string, int) -> list(string)
format.byte format.byte () -> kubernetes.NamedFormat
format.date format.date () -> kubernetes.NamedFormat
format.datetime format.datetime () -> kubernetes.NamedFormat
format.dns1035Label format.dns1035Label () -> kubernetes.NamedFormat
format.dns1035LabelPrefix format.dns1035LabelPrefix () -> kubernetes.NamedFormat
format.dns1123Label format.dns1123Label () -> kubernetes.NamedFormat
format.dns1123LabelPrefix format.dns1123LabelPrefix () -> kubernetes.NamedFormat
format.dns1123Subdomain format.dns1123Subdomain () -> kubernetes.NamedFormat
format.dns1123SubdomainPrefix format.dns1123SubdomainPrefix () -> kubernetes.NamedFormat
format.labelValue format.labelValue () -> kubernetes.NamedFormat
format.named format-named (string) -> optional_type(kubernetes.NamedFormat)
format.qualifiedName format.qualifiedName () -> kubernetes.NamedFormat
format.uri format.uri () -> kubernetes.NamedFormat
format.uuid format.uuid () -> kubernetes.NamedFormat
getEscapedPath url_get_escaped_path .(kubernetes.URL) -> string
getHost url_get_host .(kubernetes.URL) -> string
getHostname url_get_hostname .(kubernetes.URL) -> string
getPort url_get_port .(kubernetes.URL) -> string
getQuery url_get_query .(kubernetes.URL) -> map(string, list(string))
getScheme url_get_scheme .(kubernetes.URL) -> string
group authorizer_group .(kubernetes.authorization.Authorizer, string) -> kubernetes.authorization.GroupCheck
indexOf list_a_index_of_int .(list(A), A) -> int
ip string_to_ip (string) -> net.IP
ip cidr_ip .(net.CIDR) -> net.IP
ip.isCanonical ip_is_canonical (string) -> bool
isCIDR is_cidr (string) -> bool
isGlobalUnicast ip_is_global_unicast .(net.IP) -> bool
isGreaterThan quantity_is_greater_than .(kubernetes.Quantity, kubernetes.Quantity) -> bool
isGreaterThan semver_is_greater_than .(kubernetes.Semver, kubernetes.Semver) -> bool
isIP is_ip (string) -> bool
isInteger quantity_is_integer .(kubernetes.Quantity) -> bool
isLessThan quantity_is_less_than .(kubernetes.Quantity, kubernetes.Quantity) -> bool
isLessThan semver_is_less_than .(kubernetes.Semver, kubernetes.Semver) -> bool
isLinkLocalMulticast ip_is_link_local_multicast .(net.IP) -> bool
isLinkLocalUnicast ip_is_link_local_unicast .(net.IP) -> bool
isLoopback ip_is_loopback .(net.IP) -> bool
isQuantity is_quantity_string (string) -> bool
isSemver is_semver_string (string) -> bool
isSemver is_semver_string_bool (string, bool) -> bool
isSorted list_int_is_sorted_bool .(list(int)) -> bool
isSorted list_uint_is_sorted_bool .(list(uint)) -> bool
isSorted list_double_is_sorted_bool .(list(double)) -> bool
isSorted list_bool_is_sorted_bool .(list(bool)) -> bool
isSorted list_duration_is_sorted_bool .(list(duration)) -> bool
isSorted list_timestamp_is_sorted_bool .(list(timestamp)) -> bool
isSorted list_string_is_sorted_bool .(list(string)) -> bool
isSorted list_bytes_is_sorted_bool .(list(bytes)) -> bool
isURL is_url_string (string) -> bool
isUnspecified ip_is_unspecified .(net.IP) -> bool
labelSelector authorizer_labelselector .(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
lastIndexOf list_a_last_index_of_int .(list(A), A) -> int
major semver_major .(kubernetes.Semver) -> int
masked cidr_masked .(net.CIDR) -> net.CIDR
max list_int_max_int .(list(int)) -> int
max list_uint_max_uint .(list(uint)) -> uint
max list_double_max_double .(list(double)) -> double
max list_bool_max_bool .(list(bool)) -> bool
max list_duration_max_duration .(list(duration)) -> duration
max list_timestamp_max_timestamp .(list(timestamp)) -> timestamp
max list_string_max_string .(list(string)) -> string
max list_bytes_max_bytes .(list(bytes)) -> bytes
min list_int_min_int .(list(int)) -> int
min list_uint_min_uint .(list(uint)) -> uint
min list_double_min_double .(list(double)) -> double
min list_bool_min_bool .(list(bool)) -> bool
min list_duration_min_duration .(list(duration)) -> duration
min list_timestamp_min_timestamp .(list(timestamp)) -> timestamp
min list_string_min_string .(list(string)) -> string
min list_bytes_min_bytes .(list(bytes)) -> bytes
minor semver_minor .(kubernetes.Semver) -> int
name resourcecheck_name .(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
namespace resourcecheck_namespace .(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
patch semver_patch .(kubernetes.Semver) -> int
path authorizer_path .(kubernetes.authorization.Authorizer, string) -> kubernetes.authorization.PathCheck
prefixLength cidr_prefix_length .(net.CIDR) -> int
quantity string_to_quantity (string) -> kubernetes.Quantity
reason decision_reason .(kubernetes.authorization.Decision) -> string
resource groupcheck_resource .(kubernetes.authorization.GroupCheck, string) -> kubernetes.authorization.ResourceCheck
semver string_to_semver (string) -> kubernetes.Semver
semver string_bool_to_semver (string, bool) -> kubernetes.Semver
serviceAccount authorizer_serviceaccount .(kubernetes.authorization.Authorizer, string, string) -> kubernetes.authorization.Authorizer
sign quantity_sign (kubernetes.Quantity) -> int
string ip_to_string (net.IP) -> string
string cidr_to_string (net.CIDR) -> string
sub quantity_sub .(kubernetes.Quantity, kubernetes.Quantity) -> kubernetes.Quantity
sub quantity_sub_int .(kubernetes.Quantity, int) -> kubernetes.Quantity
subresource resourcecheck_subresource .(kubernetes.authorization.ResourceCheck, string) -> kubernetes.authorization.ResourceCheck
sum list_int_sum_int .(list(int)) -> int
sum list_uint_sum_uint .(list(uint)) -> uint
sum list_double_sum_double .(list(double)) -> double
sum list_duration_sum_duration .(list(duration)) -> duration
url string_to_url (string) -> kubernetes.URL
validate format-validate .(kubernetes.NamedFormat, string) -> optional_type(list(string))
`;

// packages/expressions/src/cel/declarations/declarations.ts
var listSearch = /^(indexOf|lastIndexOf) /m;
var kubernetesLines = kubernetesDeclarations.split("\n");
var kubernetesFirst = kubernetesLines.filter((line) => listSearch.test(line)).join("\n");
var kubernetesRest = kubernetesLines.filter((line) => !listSearch.test(line)).join("\n");

// packages/expressions/src/cel/syntax-tree.ts
var accumulatorName = "@result";

// packages/expressions/src/cel/estimate.ts
var largest = 2n ** 64n - 1n;
var fixed = (amount) => ({ min: amount, max: amount });
var one = fixed(1n);

// packages/expressions/src/cel/call-estimate.ts
var listCreation = fixed(10n);
var unitFunctions = new Set(
  "serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery".split(" ")
);

// packages/expressions/src/cel/cost-estimator.ts
var listCreation2 = fixed(10n);
var mapCreation = fixed(30n);
var structCreation = fixed(40n);

// packages/expressions/src/cel/macros.ts
var MacroError = class extends Error {
  at;
  constructor(at, message) {
    super(message);
    this.at = at;
  }
};
function macroKey(name, argCount, receiver2) {
  return `${name}:${argCount}:${receiver2}`;
}
function receiver(name, argCount, expand) {
  return [macroKey(name, argCount, true), (nodes, args, target) => target && expand(nodes, target, args)];
}
function argument(args, index2) {
  return args[index2];
}
function variableName(expr, message) {
  if (expr.kind !== "ident") throw new MacroError(expr, message);
  return expr.name;
}
function iterationVariable(expr, message) {
  const name = variableName(expr, message);
  if (name === accumulatorName || name === "__result__") {
    throw new MacroError(expr, "iteration variable overwrites accumulator variable");
  }
  return name;
}
function oneVariable(args, message) {
  return { iterVar: iterationVariable(argument(args, 0), message), iterVar2: void 0, rest: args.slice(1) };
}
function twoVariables(args) {
  const [first, second2] = [argument(args, 0), argument(args, 1)];
  const iterVar = variableName(first, "argument must be a simple name");
  const iterVar2 = variableName(second2, "argument must be a simple name");
  if (iterVar === iterVar2) throw new MacroError(second2, `duplicate variable name: ${iterVar}`);
  iterationVariable(first, "");
  iterationVariable(second2, "");
  return { iterVar, iterVar2, rest: args.slice(2) };
}
function all(nodes, range2, { iterVar, iterVar2, rest }) {
  return nodes.fold({
    range: range2,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init: nodes.literal(true),
    condition: nodes.call("@not_strictly_false", nodes.accumulator()),
    step: nodes.call("_&&_", nodes.accumulator(), argument(rest, 0)),
    result: nodes.accumulator()
  });
}
function exists(nodes, range2, { iterVar, iterVar2, rest }) {
  return nodes.fold({
    range: range2,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init: nodes.literal(false),
    condition: nodes.call("@not_strictly_false", nodes.call("!_", nodes.accumulator())),
    step: nodes.call("_||_", nodes.accumulator(), argument(rest, 0)),
    result: nodes.accumulator()
  });
}
function existsOne(nodes, range2, { iterVar, iterVar2, rest }) {
  return nodes.fold({
    range: range2,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init: nodes.literal(0n),
    condition: nodes.literal(true),
    step: nodes.call(
      "_?_:_",
      argument(rest, 0),
      nodes.call("_+_", nodes.accumulator(), nodes.literal(1n)),
      nodes.accumulator()
    ),
    result: nodes.call("_==_", nodes.accumulator(), nodes.literal(1n))
  });
}
function collect(nodes, range2, { iterVar, iterVar2 }, parts) {
  const { init, filter: filter2, step } = parts;
  return nodes.fold({
    range: range2,
    iterVar,
    iterVar2,
    accuVar: accumulatorName,
    init,
    condition: nodes.literal(true),
    step: filter2 === void 0 ? step : nodes.call("_?_:_", filter2, step, nodes.accumulator()),
    result: nodes.accumulator()
  });
}
function filterAndTransform(rest) {
  return rest.length === 2 ? { filter: argument(rest, 0), transform: argument(rest, 1) } : { filter: void 0, transform: argument(rest, 0) };
}
function transformList(nodes, range2, variables) {
  const { filter: filter2, transform } = filterAndTransform(variables.rest);
  const init = nodes.list();
  return collect(nodes, range2, variables, {
    init,
    filter: filter2,
    step: nodes.call("_+_", nodes.accumulator(), nodes.list(transform))
  });
}
function map(nodes, range2, args) {
  return transformList(nodes, range2, oneVariable(args, "argument is not an identifier"));
}
function filter(nodes, range2, args) {
  const variables = oneVariable(args, "argument is not an identifier");
  return collect(nodes, range2, variables, {
    init: nodes.list(),
    filter: argument(args, 1),
    step: nodes.call("_+_", nodes.accumulator(), nodes.list(argument(args, 0)))
  });
}
function transformMap(nodes, range2, args) {
  const variables = twoVariables(args);
  const { filter: filter2, transform } = filterAndTransform(variables.rest);
  const step = nodes.call("cel.@mapInsert", nodes.accumulator(), nodes.ident(variables.iterVar), transform);
  return collect(nodes, range2, variables, { init: nodes.emptyMap(), filter: filter2, step });
}
function transformMapEntry(nodes, range2, args) {
  const variables = twoVariables(args);
  const { filter: filter2, transform } = filterAndTransform(variables.rest);
  const step = nodes.call("cel.@mapInsert", nodes.accumulator(), transform);
  return collect(nodes, range2, variables, { init: nodes.emptyMap(), filter: filter2, step });
}
var has = (nodes, args) => {
  const field = argument(args, 0);
  if (field.kind !== "select") throw new MacroError(field, "invalid argument to has() macro");
  return nodes.presenceTest(field.operand, field.field);
};
function optionalMap(wrapsResult, name) {
  return (nodes, target, args) => {
    const variable = variableName(argument(args, 0), `${name}() variable name must be a simple identifier`);
    const value2 = nodes.memberCall("value", nodes.copy(target));
    const mapped = nodes.bind(variable, value2, argument(args, 1));
    return nodes.call(
      "_?_:_",
      nodes.memberCall("hasValue", target),
      wrapsResult ? nodes.call("optional.of", mapped) : mapped,
      nodes.call("optional.none")
    );
  };
}
function sortBy(nodes, target, args) {
  const input = "@__sortBy_input__";
  if (target.kind === "literal" || target.kind === "map" || target.kind === "struct") {
    throw new MacroError(
      target,
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
    );
  }
  const keys = map(nodes, nodes.ident(input), args);
  return nodes.bind(input, target, nodes.memberCall("@sortByAssociatedKeys", nodes.ident(input), keys));
}
function celBind(nodes, target, args) {
  if (target.kind !== "ident" || target.name !== "cel") return void 0;
  const name = variableName(argument(args, 0), "cel.bind() variable names must be simple identifiers");
  return nodes.bind(name, argument(args, 1), argument(args, 2));
}
var simpleName = "argument must be a simple name";
var kubernetesMacros = [
  [macroKey("has", 1, false), has],
  receiver("all", 2, (nodes, range2, args) => all(nodes, range2, oneVariable(args, simpleName))),
  receiver("exists", 2, (nodes, range2, args) => exists(nodes, range2, oneVariable(args, simpleName))),
  receiver("exists_one", 2, (nodes, range2, args) => existsOne(nodes, range2, oneVariable(args, simpleName))),
  receiver("map", 2, map),
  receiver("map", 3, map),
  receiver("filter", 2, filter),
  receiver("all", 3, (nodes, range2, args) => all(nodes, range2, twoVariables(args))),
  receiver("exists", 3, (nodes, range2, args) => exists(nodes, range2, twoVariables(args))),
  receiver("exists_one", 3, (nodes, range2, args) => existsOne(nodes, range2, twoVariables(args))),
  receiver("existsOne", 3, (nodes, range2, args) => existsOne(nodes, range2, twoVariables(args))),
  receiver("transformList", 3, (nodes, range2, args) => transformList(nodes, range2, twoVariables(args))),
  receiver("transformList", 4, (nodes, range2, args) => transformList(nodes, range2, twoVariables(args))),
  receiver("transformMap", 3, transformMap),
  receiver("transformMap", 4, transformMap),
  receiver("transformMapEntry", 3, transformMapEntry),
  receiver("transformMapEntry", 4, transformMapEntry),
  receiver("optMap", 2, optionalMap(true, "optMap")),
  receiver("optFlatMap", 2, optionalMap(false, "optFlatMap")),
  receiver("sortBy", 2, sortBy)
];
var withoutBindings = new Map(kubernetesMacros);
var withBindings = new Map([...kubernetesMacros, receiver("bind", 3, celBind)]);

// packages/expressions/src/cel/lexer.ts
var operators = "== != <= >= && || [ ] { } ( ) . , - ! ? : + * / % < >".split(" ");

// packages/expressions/src/cel/literal.ts
var minInt2 = -(2n ** 63n);
var maxInt2 = 2n ** 63n - 1n;
var maxUint2 = 2n ** 64n - 1n;

// packages/expressions/src/cel/parser.ts
var reserved2 = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" ")
);

// node_modules/re2js/build/index.js
var RE2Flags = class RE2Flags2 {
  static FOLD_CASE = 1;
  static LITERAL = 2;
  static CLASS_NL = 4;
  static DOT_NL = 8;
  static ONE_LINE = 16;
  static NON_GREEDY = 32;
  static PERL_X = 64;
  static UNICODE_GROUPS = 128;
  static WAS_DOLLAR = 256;
  static LOOKBEHIND = 512;
  static MATCH_NL = RE2Flags2.CLASS_NL | RE2Flags2.DOT_NL;
  static PERL = RE2Flags2.CLASS_NL | RE2Flags2.ONE_LINE | RE2Flags2.PERL_X | RE2Flags2.UNICODE_GROUPS;
  static POSIX = 0;
  static UNANCHORED = 0;
  static ANCHOR_START = 1;
  static ANCHOR_BOTH = 2;
};
var PublicFlags = {
  CASE_INSENSITIVE: 1,
  DOTALL: 2,
  MULTILINE: 4,
  DISABLE_UNICODE_GROUPS: 8,
  LONGEST_MATCH: 16,
  LOOKBEHINDS: 512
};
var ASCII_SIZE = 128;
var ASCII_TO_UPPER = new Int32Array(ASCII_SIZE);
var ASCII_TO_LOWER = new Int32Array(ASCII_SIZE);
var MAX_BMP = 65535;
for (let i = 0; i < ASCII_SIZE; i++) {
  if (i >= 97 && i <= 122) ASCII_TO_UPPER[i] = i - 32;
  else ASCII_TO_UPPER[i] = i;
  if (i >= 65 && i <= 90) ASCII_TO_LOWER[i] = i + 32;
  else ASCII_TO_LOWER[i] = i;
}
var Codepoint = class {
  static CODES = Object.freeze({
    "\x07": 7,
    "\b": 8,
    "	": 9,
    "\n": 10,
    "\v": 11,
    "\f": 12,
    "\r": 13,
    " ": 32,
    '"': 34,
    $: 36,
    "&": 38,
    "'": 39,
    "(": 40,
    ")": 41,
    "*": 42,
    "+": 43,
    "-": 45,
    ".": 46,
    0: 48,
    1: 49,
    2: 50,
    3: 51,
    4: 52,
    5: 53,
    6: 54,
    7: 55,
    8: 56,
    9: 57,
    ":": 58,
    "<": 60,
    ">": 62,
    "?": 63,
    A: 65,
    B: 66,
    C: 67,
    F: 70,
    P: 80,
    Q: 81,
    U: 85,
    Z: 90,
    "[": 91,
    "\\": 92,
    "]": 93,
    "^": 94,
    _: 95,
    "`": 96,
    a: 97,
    b: 98,
    f: 102,
    i: 105,
    m: 109,
    n: 110,
    r: 114,
    s: 115,
    t: 116,
    v: 118,
    x: 120,
    z: 122,
    "{": 123,
    "|": 124,
    "}": 125
  });
  static toUpperCase(codepoint) {
    if (codepoint < ASCII_SIZE) return ASCII_TO_UPPER[codepoint];
    const s = String.fromCodePoint(codepoint).toUpperCase();
    const expectedLen = s.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (s.length > expectedLen) return codepoint;
    const sOrigin = String.fromCodePoint(s.codePointAt(0)).toLowerCase();
    const originExpectedLen = sOrigin.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (sOrigin.length > originExpectedLen || sOrigin.codePointAt(0) !== codepoint) return codepoint;
    return s.codePointAt(0);
  }
  static toLowerCase(codepoint) {
    if (codepoint < ASCII_SIZE) return ASCII_TO_LOWER[codepoint];
    const s = String.fromCodePoint(codepoint).toLowerCase();
    const expectedLen = s.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (s.length > expectedLen) return codepoint;
    const sOrigin = String.fromCodePoint(s.codePointAt(0)).toUpperCase();
    const originExpectedLen = sOrigin.codePointAt(0) > MAX_BMP ? 2 : 1;
    if (sOrigin.length > originExpectedLen || sOrigin.codePointAt(0) !== codepoint) return codepoint;
    return s.codePointAt(0);
  }
};
var UnicodeRangeTable = class {
  /**
  * @param {Uint32Array | number[]} data
  * @param {boolean} isStride1
  */
  constructor(data, isStride1 = false) {
    this.data = data;
    this.isStride1 = isStride1;
    this.SIZE = isStride1 ? 2 : 3;
  }
  getLo(index2) {
    return this.data[index2 * this.SIZE];
  }
  getHi(index2) {
    return this.data[index2 * this.SIZE + 1];
  }
  getStride(index2) {
    return this.isStride1 ? 1 : this.data[index2 * this.SIZE + 2];
  }
  get length() {
    return this.data.length / this.SIZE;
  }
};
var B64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
var B64_MAP = /* @__PURE__ */ new Uint8Array(256);
for (let i = 0; i < 64; i++) B64_MAP[B64.charCodeAt(i)] = i;
var decodeVLQ = (str) => {
  const res = [];
  let value2 = 0;
  let shift = 0;
  for (let i = 0; i < str.length; i++) {
    const digit = B64_MAP[str.charCodeAt(i)];
    value2 |= (digit & 31) << shift;
    if ((digit & 32) === 0) {
      res.push(value2);
      value2 = 0;
      shift = 0;
    } else shift += 5;
  }
  return res;
};
var decodeRanges = (str, isStride1) => {
  const res = decodeVLQ(str);
  const numRanges = isStride1 ? res.length / 2 : res.length / 3;
  const out = new Uint32Array(numRanges * 3);
  let current = 0;
  let resIdx = 0;
  for (let i = 0; i < numRanges; i++) {
    current += res[resIdx++];
    out[i * 3] = current;
    current += res[resIdx++];
    out[i * 3 + 1] = current;
    out[i * 3 + 2] = isStride1 ? 1 : res[resIdx++];
  }
  return out;
};
var decodeOrbit = (str) => {
  const res = decodeVLQ(str);
  const map2 = /* @__PURE__ */ new Map();
  let currentKey = 0;
  for (let i = 0; i < res.length; i += 2) {
    currentKey += res[i];
    const zz = res[i + 1];
    const delta = zz >>> 1 ^ -(zz & 1);
    map2.set(currentKey, currentKey + delta);
  }
  return map2;
};
var LazyMap = class {
  constructor(initializer) {
    this.initializer = initializer;
    this.cache = /* @__PURE__ */ new Map();
  }
  has(key2) {
    return Object.hasOwn(this.initializer, key2);
  }
  get(key2) {
    if (this.cache.has(key2)) return this.cache.get(key2);
    const val = this.has(key2) ? this.initializer[key2]() : null;
    this.cache.set(key2, val);
    return val;
  }
};
var UnicodeTables = class {
  static _CASE_ORBIT = null;
  static get CASE_ORBIT() {
    if (!this._CASE_ORBIT) this._CASE_ORBIT = decodeOrbit("rCgCIgCY+rQI4QiCuuBLgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCCgCBgCBgCBgCBgCBgCBgCB+7OB-BB-BB-BB-BB-BBskQB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BC-BB-BB-BB-BB-BB-BB-BByHBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBDCBBBCBBBCBBCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBxHBCBBBCBBBCBBB3SBmMBkNBCBBBCBBB8MBCBBB6MB6MBCBBC+EB0MB2MBCBBB6MB+MBiGBmNBiNBCBBBmKBikzCBmNBqNBkIBsNBCBBBCBBBCBBB0NBCBBB0NDCBBB0NBCBBByNByNBCBBBCBBB2NBCBBDCBBCwDFCBCBDBCBCBDBCBCBDBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBB9EBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBCCBCBDBCBBBhGBvDBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBjICCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBH2iVBCBBBlKBwiVB+jVB+jVBCBBBlMBqEBuEBCBBBCBBBCBBBCBBBCBBB+hVB4hVB8hVBjNB7MC5MB5MCzMC1MB+0yCE5MB20yCC9MBu2yCBwyyCBo0yCChNBlNBo0yCBu-UBi0yCDlNC6-UBpNDrNIu+UDzNCm0yCBzNE0yyCBzNBpEBxNBxNBtEG1NLqxyCBkxyCnFoFrBCBBBCBBDCBBEkIBkIBkICoHHsCCqCBqCBqCCgEC+DB+DBmkOBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCC+BBgCBgCBgCBgCBgCBgCBgCBgCBrCBpCBpCBpCBmjOB-BB8BB-BB-BBgEB-BB-BByBBqgOBsDB-BBtwBB-BB-BB-BBsBBgDBCB-BB-BB-BBeB-BB-BB61OB-BB-BB-DB9DB9DBQB7DBmCE9CBrDBPBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBrFB-EBOBnHB3FB-FCCBBBNBCBBCjIBjIBjIBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgFBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCB-BB-BB8kMB-BB6kMB-BB-BB-BB-BB-BB-BB-BB-BB-BBokMB-BB-BBkkMBkkMB-BB-BB-BB-BB-BB-BB-BB4jMB-BB-BB-BB-BB-BB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EB-EBCBBBCBoiMBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBJCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBeBCBBBCBBBCBBBCBBBCBBBCBBBCBBBdBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBCgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDL-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-C64CgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOBgmOCgmOGgmODg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FBg8FDg8FBg8FBg8FhVg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBg9rCBQBQBQBQBQBQDPBPBPBPBPBPjkC7mMB5mMBnmMBjmMBCBlmMB3lMBpiMBk8kCBCBBG-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FB-7FD-7FB-7FB-7F6FoglCEsuHRwjlCyDCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCB0DBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBG1DD97OCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQDPBPBPBPBPBPDQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQDPBPBPBPBPBPEQCQCQCQCPCPCPCPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPB0EB0EBsFBsFBsFBsFBoGBoGBgIBgIBgHBgHB8HB8HDQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQBQBQBQBQBQBQBPBPBPBPBPBPBPBPBQBQCSFPBPBzEBzEBRCxnOFSFrFBrFBrFBrFBREQBQClkOFPBPBnGBnGFQBQCljOCODPBPB-GB-GBNHSF-HB-HB7HB7HBRqJ53OE9tQBrmQH4Bc3BSgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBgBBfBfBfBfBfBfBfBfBfBfBfBfBfBfBfBfECBByZ0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BB0BBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzBBzB34BgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDBgDB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CB-CBCBBBt-UBruHBt+UB1iVBviVBCBBBCBBBCBBB3hVB5-UB9hVB7hVCCBBCCBBI9jVB9jVBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBICBBBCBBECBBN-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOB-lOC-lOG-lOzoeCBBBCBBBCBBBCBBBCBBBCBl8kCBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBTCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBnECBBBCBBBCBBBCBBBCBBBCBBBCBBDCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBKCBBBCBBBnglCBCBBBCBBBCBBBCBBBCBBECBBBvyyCDCBBBCBBBgDCCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBn0yCB90yCB10yCBh0yCBn0yCCjxyCBzyyCBpxyCBg6BBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBB-CBl0yCBvjlCBCBBBCBBBt2yCBCBBBCBBBCBBBCBBBCBBBCBBBCBBBCBBBhkzCZCBB9a-5Bd-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCB-8rCm6TCBB7gBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCH-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BmlBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvChDwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCBwCFvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvCBvC1DuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCCuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCBuCCuCBuCBuCBuCBuCBuCBuCCuCBuCCtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCCtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCBtCCtCBtCBtCBtCBtCBtCBtCCtCBtCk2BgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEBgEO-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-DB-D+CgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCL-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-B74CgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BhrVgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCBgCB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BB-BhB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BB2BD1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BB1BtxekCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBkCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjCBjC");
    return this._CASE_ORBIT;
  }
  static _Print = null;
  static get Print() {
    if (!this._Print) this._Print = new UnicodeRangeTable(decodeRanges("hB9CBjBLBCpWBDFBFGBCCCBSBCsMBClBBDxBBDCBC2BBJaBFFBSVBC-FBCvBBD6BBDkDBP6BBDwBBDOBCbBDCCBJBGfBIqCBCgFBCHBDBBDVBCGBCEEBCBDIBDBBDDBJFFBCCBDBDYBDCBCFBFBBDVBCGBCBBCBBCBBDCCBDBFBBDCBEIIBCBCIIBPBLCBCIBCCBCVBCGBCBBCEBDJBCCBCCBDQQBCBDLBIGBCCBCHBDBBDVBCGBCBBCEBDIBDBBDCBICBFBBCEBDRBLBBCFBECBCDBEBBCCCBEEBEEBBBELBFEBECBCDBDHHPUBGMBCCBCWBCPBDIBCCBCDBIBBCCBCBBDDBDJBIVBCCBCWBCJBCEBDIBCCBCDBIBBGCBCDBDJBCCBNMBCCBCyBBCCBCFBFPBDZBCCBCRBEXBCIBCDDBFBEFFBEBCCCBGBHJBDCBN5BBFcBmBBBCCCBDBCXBCCCBVBDEBCCCBFBCJBDDBhBnCBCjBBFmBBCjBBCOBCMBmBlGBCGGD4LBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBDfBEZBH1CBDFBD-TBCbBE4CBIVBKXBKTBNMBCCBCBBN9CBDJBHJBHNBCKBH4CBIqBBGlCBLeBCLBFLBFEEBoBBDEBMrBBFZBHKBE9BBDgCBCcBDKBHJBHNBDtBBDLBVsCBClFBJ7BBEOBE9BBGqBBDKBJqBBG1QBDFBDlBBDFBDHBCGCBdBD0BBCOBCNBDFBCSBDCBCIBSXBJuBBSBBDaBCMBEhBBPgBBQrEBF5UBXKBWz4BBD9LBGsBBCGGD3BBIBBPXBKGBCGBCGBCGBCGBCGBCGBCGBC9DBjBZBC4CBN1GBbPBC+BBC1CBDmDBGqBBC9CBC1CBKvBBCszcBE2BBK7KBV3FBJ8GBV7BBEJBH3BBJlCBJLBHzDBMdBEtCBCKBFgBBC2BBKNBDJBDmDBZbBLFBDFBDFBKGBCGBC7BBF9DBDJBHj9KBNWBFwBBloItLBDpDBnBGBNEBGZBCEBCCCBCCBCCBoUBhBpBBHyBBCSBCDBFEBCmEBF9FBEFBDFBDFBDCBEGBCGBOBBDLBCZBCSBCBBCOBDNBjB6DBGCBFsBBE3CBCMBEwBwBBsBBjEcBEwBBQbBFjBBKdBGqBBGdBCkBBFNBrB9EBDJBHjBBFjBBFnBBJzBBMLBCOBCGBCBBCKBCOBCGBCBBEzBBN2JBKVBLHBZFBCpBBCIBmCFBDCCBqBBCBBEDDBVBCnCBJIBxBSBCBBGgBBEaBGaBnB3BBFTBDxBBCBBGHBCCBCcBDCBFJBIIBI-BBhBmBBFLBK1BBEcBDaBGZBIDBNGBxCoCB4ByBBOyBBItBBJJBHlBBEcBJBBxGeBCpBBCCBDBBRFBJIBiBtBBJpBBXZBnBbBVWBKtCBFjBBK9BBCEBOYBIJBH0BBCRBJmBBK-CBCTBMRBCuBB-BGBCCCBCBCOBCKBH6BBGJBHDBCHBDBBDVBCGBCBBCEBCJBDBBDCBDHHGGBDGBEEBMJBCDDClBBCJBCDDCDBCJBCBBJBBe7CBCEBfnCBJJBnF1BBDlBBjBkCBMJBHMBU5BBHJBHTBdaBDOBFWB6F7BBlDyCBNHBDDDBGBCBBCdBCBBDLBKJBnCHBDtBBDKBcnCBJyCBOoCBIJB3CHB5ChBBPJBHIBCsBBCNBLcBEfBDVBCNBqCGBCBBCrBBECCBCCBHBJJBHFBCBBCkBBCBBCFBIJBHrBBFJB3HYBIQBCoBBEcB2CQQBwBBO6cBnDuDBCEBMjGBtyCiDBOvhBBRVBL68DBGmSB61G5BBn2B4RBIeBCJBFwCBCJBHdBDFBLlCBLJBCGBCUBGSBxN5BBnG6CBGYBDYBtBqCBF4BBIQBhCEBMGBK1mHBqBfBiDyDB+vIDBCGBCBBCiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBDDBh7D8HBEzNBHWBQQBQtBBDWBKzDB9B1HBLmBBDpCBJvDBWlCB7DTBNTBN2CBKYBoE0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDjJBD9VBQEBCOBxiBeBHFB2GGBCQBDGBCBBCEBG9BBiBxDxDBrBBENBDJBFBBhKeBS5BBGxOxOBoBB3GqBBFhGhGBdBCVBJBBhHGBCDBCBBCOBCkGBDPBqBrCBFJBFBByYjCBtC8BBjGDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1BBBvIrBBFjDBNOBDOBCOBCkBBLtFB5BcBOrBBFIBIBBPFB7E4eBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBBPIBoB3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBCmDBmgB-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIBnkzVvHB", false));
    return this._Print;
  }
  static CATEGORIES = new LazyMap({
    C: () => new UnicodeRangeTable(decodeRanges("AfBgDgBBOrWrWBHHBCBICCVuMuMnBBBzBBBE4B4BBGBcDBHQBXhGhGxBBB8BBBmDNB8BBByBBBQddBCCMEBhBGBsCiFiFJBBDBBXIICCBFBBKBBDBBFHBCDBDGGBaaBEEHDBDBBXIIDGDBCCGDBDBBECBCGBFCCBFBSJBEKKEXXIDDGBBLIEBCCBNBFBBNGBIEEJBBDBBXIIDGGBKKBDDBEEBFBEDBDGGBTTBIBDHHBBBEFFBBBDCCDCBDCBECBNDBGCBEFFBCCBEBCNBWEBOEEYRRBKKEFFBFBDEEDBBFBBLGBXEEYLLGBBKEEFGBDEBEFFBLLELBOEE0BEEHDBRBBbEETCBZKKCBBICBCDBHCCJFBLBBELB7BDBekBBDCCGZZCYYBGGCIILBBFfBpClBlBBCBoBlBlBQOOBjBBnGCCBDBCBB6LFFBIICFFBqBqBFBBiBFFBIICFFBQQ6BFFBkCkCBhBhBBBBbFB3CBBHBB+UCB6CGBXIBZIBVLBOEEDLB-CBBLFBLFBPMMBEB6CGBsBEBnCJBgBNNBCBNDBCCBrBBBGKBtBDBbFBMCB-BBBiCeeBMMBEBLFBPBBvBBBNTBuCnFnFBGB9BCBQCB-BEBsBBBMHBsBEB3QBBHBBnBBBHBBJGCgBBB2BQQPBBHUUBEEKMMBDBbEByBPBDBBcOOBBBjBNBiBOBtEDB7UVBMUB14BBB-LEBuBCCBDBCBB5BGBDNBZIBI4BI-DhBBb6C6CBKB3GZBxC3C3CBoDoDBDBsB-C-C3CIBxBuzcuzcBBB4BIB9KTB5FHB+GTB9BCBLFB5BHBnCHBNFB1DKBfCBvCMMBCBiB4B4BBHBPBBLBBoDXBdJBHBBHBBHIBIII9BDB-DBBLFBl9KLBYDByBjoIBvLBBrDlBBILBGEBbGGCGDrUfBrBFB0BUUFDBGoEoEBCB-FCBHBBHBBHBBECBIIIBLBDBBNbbUDDQBBPhBB8DEBEDBuBCB5COOBBBCuBBvBhEBeCByBOBdDBlBIBfEBsBEBfmBmBBCBPpBB-EBBLFBlBDBlBDBpBHB1BKBNQQIDDMQQIDDBBB1BLB4JIBXJBJXBHrBrBKkCBHBBCtBtBDCBCBBYpCpCBGBKvBBUDDBDBiBCBcEBclBB5BDBVBBzBDDBDBJEEeBBEDBLGBKGBhCfBoBDBNIB3BCBeBBcEBbGBFLBIvCBqC2BB0BMB0BGBvBHBLFBnBCBeHBDvGBgBrBrBEBBDPBHHBKgBBvBHBrBVBblBBdTBYIBvCDBlBIB-BGGBLBaGBLFB2BTTBGBoBIBhDVVBJBTwBwBB8BBICCFQQMFB8BEBLFBFJJBDDBXXIDDGLLBDDBEEBCCBEBCEBIBBICBGKBLCCBCCnBLLCBBCFFLDDBGBDcB9CGGBcBpCHBLlFB3BBBnBhBBmCKBLFBOSB7BFBLFBVbBcBBQDBY4FB9BjDB0CLBJBBCBBJDDfDDBNNBHBLlCBJBBvBBBMaBpCHB0CMBqCGBL1CBJ3CBjBNBLFBKuBuBPJBeCBhBBBXPPBnCBIDDtBCBCDDKHBLFBHDDmBDDHGBLFBtBDBL1HBaGBSqBqBBBBe0CBCOBzBMB8clDBwDGGBJBlGryCBkDMBxhBPBXJB88DEBoS41GB7Bl2BB6RGBgBLLBCByCLLBEBfBBHJBnCJBLIIWEBUvNB7BlGB8CEBaBBarBBsCDB6BGBS-BBGKBIIB3mHoBBhBgDB0D8vIBFIIDkJkJBNBCcBEBBCNBFHBtMjoCBsDEBOCBKGBLBBF-6DB+HCB1NFBYOBSOBvBBBYIB1D7BB3HJBoBBBrCHBxDUBnC5DBVLBVLB4CIBamEB2CoCoCDBBCBBDBBFNNCIIiCFFBJJIddFGGCCBI1K1KBlJlJB-V-VBNBGQQBuiBBgBFBH0GBISSBIIDGGBDB-BgBBCvDBuBCBPBBLDBD-JBgBQB7BEBCvOBrB1GBsBDBC-FBgBXXBGBD-GBIFFDQQmGBBRoBBtCDBLDBDwYBlCrCB+BhGBFccDCCBCCLFFCCCBEBCDBCECEDDCBBCICDCCBFFIKFCLLSEBEGGSzBBDtIBtBDBlDLBQBBQQQmBJBvF3BBeMBtBDBKGBDNBH5EB6eCBSCBOCB7GFBNDBCOBNDB5BHBLFBpBHBfBBNDBDNBKmBB5KHBPBBOCBMCB6BCCBCBRBBNDBLGB0EoDoDBjgBBh3pBfB-oEBBv0FBBypHOBvThtCB-QhvBBs6EEBrpIlkzVBxHvw-FB", false)),
    Cc: () => new UnicodeRangeTable(decodeRanges("AfgDgB", true)),
    Cf: () => new UnicodeRangeTable(decodeRanges("tFzqBzqBBEBXhGhGyBhMhMBxCxCs5D9-B9-BBDBbEByBEBCJBw03B6H6HBBBimEQQj7IPBhjiBDBwmFHBn0rYffB+CB", false)),
    Cn: () => new UnicodeRangeTable(decodeRanges("4bBBHDBICCVuMuMnBBBzBBBE4B4BBGBcDBHKBvI9B9BBmDmDBMB8BBByBBBQddBCCMEBjBEBuHJJBDDBXXICCBBBFBBKBBDBBFHBCDBDGGBaaBEEHDBDBBXIIDGDBCCGDBDBBECBCGBFCCBFBSJBEKKEXXIDDGBBLIEBCCBNBFBBNGBIEEJBBDBBXIIDGGBKKBDDBEEBFBEDBDGGBTTBIBDHHBBBEFFBBBDCCDCBDCBECBNDBGCBEFFBCCBEBCNBWEBOEEYRRBKKEFFBFBDEEDBBFBBLGBXEEYLLGBBKEEFGBDEBEFFBLLELBOEE0BEEHDBRBBbEETCBZKKCBBICBCDBHCCJFBLBBELB7BDBekBBDCCGZZCYYBGGCIILBBFfBpClBlBBCBoBlBlBQOOBjBBnGCCBDBCBB6LFFBIICFFBqBqBFBBiBFFBIICFFBQQ6BFFBkCkCBhBhBBBBbFB3CBBHBB+UCB6CGBXIBZIBVLBOEEDLB-CBBLFBLFBbFB6CGBsBEBnCJBgBNNBCBNDBCCBrBBBGKBtBDBbFBMCB-BBBiCeeBMMBEBLFBPBBvBBBNTBuCnFnFBGB9BCBQCB-BEBsBBBMHBsBEB3QBBHBBnBBBHBBJGCgBBB2BQQPBBHUUBEEKmDmDNBBcOOBBBjBNBiBOBtEDB7UVBMUB14BBB-LEBuBCCBDBCBB5BGBDNBZIBI4BI-DhBBb6C6CBKB3GZBxC3C3CBoDoDBDBsB-C-C3CIBxBuzcuzcBBB4BIB9KTB5FHB+GTB9BCBLFB5BHBnCHBNFB1DKBfCBvCMMBCBiB4B4BBHBPBBLBBoDXBdJBHBBHBBHIBIII9BDB-DBBLFBl9KLBYDByBDBvzIBBrDlBBILBGEBbGGCGDrUfBrBFB0BUUFDBGoEoEBCC-FCBHBBHBBHBBECBIIIBIBGBBNbbUDDQBBPhBB8DEBEDBuBCB5COOBBBCuBBvBhEBeCByBOBdDBlBIBfEBsBEBfmBmBBCBPpBB-EBBLFBlBDBlBDBpBHB1BKBNQQIDDMQQIDDBBB1BLB4JIBXJBJXBHrBrBKkCBHBBCtBtBDCBCBBYpCpCBGBKvBBUDDBDBiBCBcEBclBB5BDBVBBzBDDBDBJEEeBBEDBLGBKGBhCfBoBDBNIB3BCBeBBcEBbGBFLBIvCBqC2BB0BMB0BGBvBHBLFBnBCBeHBDvGBgBrBrBEBBDPBHHBKgBBvBHBrBVBblBBdTBYIBvCDBlBIBlCJBCBBaGBLFB2BTTBGBoBIBhDVVBJBTwBwBB8BBICCFQQMFB8BEBLFBFJJBDDBXXIDDGLLBDDBEEBCCBEBCEBIBBICBGKBLCCBCCnBLLCBBCFFLDDBGBDcB9CGGBcBpCHBLlFB3BBBnBhBBmCKBLFBOSB7BFBLFBVbBcBBQDBY4FB9BjDB0CLBJBBCBBJDDfDDBNNBHBLlCBJBBvBBBMaBpCHB0CMBqCGBL1CBJ3CBjBNBLFBKuBuBPJBeCBhBBBXPPBnCBIDDtBCBCDDKHBLFBHDDmBDDHGBLFBtBDBL1HBaGBSqBqBBBBe0CBCOBzBMB8clDBwDGGBJBlGryCBkDMB3iBJB88DEBoS41GB7Bl2BB6RGBgBLLBCByCLLBEBfBBHJBnCJBLIIWEBUvNB7BlGB8CEBaBBarBBsCDB6BGBS-BBGKBIIB3mHoBBhBgDB0D8vIBFIIDkJkJBNBCcBEBBCNBFHBtMjoCBsDEBOCBKGBLBBJ76DB+HCB1NFBYOBSOBvBBBYIB1D7BB3HJBoBBBjGUBnC5DBVLBVLB4CIBamEB2CoCoCDBBCBBDBBFNNCIIiCFFBJJIddFGGCCBI1K1KBlJlJB-V-VBNBGQQBuiBBgBFBH0GBISSBIIDGGBDB-BgBBCvDBuBCBPBBLDBD-JBgBQB7BEBCvOBrB1GBsBDBC-FBgBXXBGBD-GBIFFDQQmGBBRoBBtCDBLDBDwYBlCrCB+BhGBFccDCCBCCLFFCCCBEBCDBCECEDDCBBCICDCCBFFIKFCLLSEBEGGSzBBDtIBtBDBlDLBQBBQQQmBJBvF3BBeMBtBDBKGBDNBH5EB6eCBSCBOCB7GFBNDBCOBNDB5BHBLFBpBHBfBBNDBDNBKmBB5KHBPBBOCBMCB6BCCBCBRBBNDBLGB0EoDoDBjgBBh3pBfB-oEBBv0FBBypHOBvThtCB-QhvBBs6EEBrpIm8yVBCdBhD-DBxHvw-BB---BBB---BBB", false)),
    Co: () => new UnicodeRangeTable(decodeRanges("gg4B-nGh4hc9--BD9--B", true)),
    Cs: () => new UnicodeRangeTable(decodeRanges("gg2B--B", true)),
    L: () => new UnicodeRangeTable(decodeRanges("hCZBHZBwBLLFGGBVBCeBCpOBFLBPEBICCiEEBCBBDDBCHHCCBCCCBSBCyCBCqEBJlFBClBBDHHBnBBoCaBFDBuBqBBkBBBCiDBCQQBIIBLLBBBDRRCdBe4CBMZZBfBKBBFGGBUBFKKEYYBXBIKBGXBCGBRpBB7B1BBETTIJBQPBFHBDBBDVBCGBCEEBCBERROBBCCBPBBLJJBEBFBBDVBCGBCBBCBBCBBgBDBCUUBBBRIBCCBCVBCGBCBBCEBETTQBBYMMBGBDBBDVBCGBCBBCEBEffBCCBBBQSSCFBECBCDBEBBCCCBEEBEEBBBELBX1B1BBGBCCBCWBCPBEbbBBBCBBDBBfFFBGBCCBCWBCJBCEBEffBBBCBBQBBSIBCCBCoBBDRRGCBJCBZFBGRBEXBCIBCDDBFB7BvBBCBBNGB7BBBCCCBDBCXBCCCBIBCBBKDDBDBCWWBCBhBgCgCBGBCjBBcEB0DqBBVRRBEBFDBEEEBIIBBBFMBNSSBkBBCGGDqBBCsKBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBmBPBR1CBDFBErTBDQBCZBGqCBHHBIRBOSBPRBPMBCCBQzBBkBFFkC4CBIEBDhBBCGGBkCBLeByBdBDEBMrBBFZB3BWBK0BBzC+C+CBtBBSHB3BdBOBBLrBBbjBBqBCBLjBBDKBGqBBDCBqBDBCFBCBBEGGB+FBhC1IBDFBDlBBDFBDHBCGCBdBD0BBCGBCEEBBBCGBEDBDFBFMBGCBCGB1DOORMBmDFFDJBCEEBDBHGCBCBCKBDDBGEBF1B1BB8zC8zCBjHBHDBEBBNlBBCGGD3BBIRRBVBKGBCGBCGBCGBCGBCGBCGBCGBxC2O2OBrBrBBDBGBBF1CBHCBC5CBCDBGqBBC9CBSfBxBPBhQ-tGBhCs0VBkCtBBDsIBEPBLBBVuBBReBDlCByBIBDmDBDxCBVQBCCBCDBCWBezBBPxBB-BFBECCBMMBaBLWBacBIuBBdRRBDBCJBLEBCoBBYCBCHBVWBEEEBwBBCEEBDDBDBDCCZCBDKBICBNFBDFBDFBKGBCGBCqBBCNBHyDBej9KBNWBFwBBloItLBDpDBnBGBNEBGCCBIBCMBCEBCCCBCCBCCBqDBiBqLBT-BBD1BBpBLB1DEBCmEBlBZBHZBM4CBEFBDFBDFBDCBkBLBCZBCSBCBBCOBDNBjB6DBmMcBEwBBwBfBOTBCHBHlBBLdBDjBBFHBxB9EBTjBBFjBBFnBBJzBBNKBCOBCGBCBBCKBCOBCGBCBBEzBBN2JBKVBLHBZFBCpBBCIBmCFBDCCBqBBCBBEDDBVBLWBKeBiCSBCBBLVBLZBHZBnB3BBHBBhCQQBCBCCBCcBrBcBEcBkBHBCbBc1BBLVBLSBORBvDoCB4ByBBOyBBOjBBnBbBKWB7HpBBHBBRFB5BcBLJJBUBrBRBvBUBcWBN0BB6BBBDOOBrBBhBYBbjBBeDDJiBBENNBuBBPDBWCCkBRBCYBUBBgCGBCCCBCBCOBCJBIuBBnBHBDBBDVBCGBCBBCEBETTNEBfJBCDDClBBCaaCtBtBBzBBTDBVCBfvBBVBBC5F5FBtBBqBDBlBvBBV8B8BBpBBOoCoCBZBmBGB6FrBB1D-BBgBHBDDDBGBCBBCXBQCC-CHBDmBBRCCdLLBmBBIWWMtBBUTTBnCBoGgBBgBIBCkBBSyByBBcBxDGBCBBClBBWaaBEBCBBCfBPYYBqBBlISBQCCBLBChBB9DwCwCB4cBnHjGBtyCgDBQvhBBSFBa68DBGmSB61GdBj3B4RBIeBSuCBSdBTvBBRDBgBUBGSBxNsBB0G-BBhBYBDYBtBqCBGjCjCBLBhCBBCPPBNNB0mHBqBfBiDyDB+vIDBCGBCBBCiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBn7F0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDYBCYBCeBCYBCeBCYBCeBCYBCeBCYBCHB15BeBHFBmI9BBzEsBBLGBRiKiKBcBTrBBlPbBlHdBDwGwGBdBCCBCBBCGBDEBKBBhHGBCDBCBBCOBCkGB8BjCBI1lB1lBBCBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQBlqE-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    LC: () => new UnicodeRangeTable(decodeRanges("hCZBHZB7BLLBVBCeBCiGBCDBFvGBDZBhGDBDBBECBCHHCCBCCCBSBCyCBCqEBJlFBClBBKoBB44ClBBCGGDqBBDCBhV1CBDFBjkCKBGqBBDCBhCrBBgCMBChBBmD1IBDFBDlBBDFBDHBCGCBdBD0BBCGBCEEBBBCGBEDBDFBFMBGCBCGBmIFFDJBCEEBDBHGCBCBCFBFDDBCBGEBF1B1BB8zC8zCB6DBDmDBHDBEBBNlBBCGGzoetBBTbBnEtCBCWBEDBCsCBZBBE2Z2ZBpBBGIBIvCBh6TGBNEBqgBZBHZBmlBvCBhDjBBFjBB1DKBCOBCGBCBBCKBCOBCGBCBBk2ByBBOyBB+CVBLVB74C-BBhrV-BBhBYBDYBtpZ0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDYBCYBCeBCYBCeBCYBCeBCYBCeBCYBCHB15BJBCTBHFB2uCjCB", false)),
    Ll: () => new UnicodeRangeTable(decodeRanges("hDZB7BqBqBBWBCHBC2BCBQCBuBCDECBBBDCCDEEBFFDEEBBBDDDCCCDCCBCCDEECDDBDDBBBHGDCOCBSCBDDCEEC4BCBFBDDDBCCFICBjCBDZBiGCCEEEBBBTccBhBBCBBECBCWCBDBCGDB0B0BBuBBCgBCK0BCDMCBgDCxBoBBo6CqBBDCB5XFBjkCIBC2D2DBqBBgCMBChBBnD0ECBHBCgDCBHBJFBLHBJHBJFBLHBJHBJNBDHBJHBJHBJEBCBBHEEBBBCBBJDBDBBJHBLCBCBBzIEEBEEcKFDBBJDBF2B2Bs1CvBBCEEBGCFCCBCCBEBGiDCBIICFFNlBBCGG0oesBCUaCoEMCBBBC+BCBGBCCCDICFCCDCCBBBCSCGGGCMCFCCDOCbEE2ZqBBGIBIvCBh6TGBNEBqhBZBumBnBBpEjBB8EKBCOBCGBCBBk4ByBB+DVB75CfBhsVfB8BYBnqZZBbGBCRBbZBbDBCCCBFBCKBbZBbZBbZBbZBbZBbZBbZBbZBbbBdYBCFBbYBCFBbYBCFBbYBCFBbYBCFBC15B15BBIBCTBHFB4vChBB", false)),
    Lm: () => new UnicodeRangeTable(decodeRanges("wVRBFLBPEBICCmEGG-OnHnHlFBBuIBBFgBgBKEEhFoFoF1mBgEgE2R72B72BsDkTkTxOFBvF+BBOjBjBBjBByVOORMBg-CBByHgGgG2OsBsBBDBGiDiDB+C+CBBB34bjnBjnBBEBvIzDzDdBB6DIBxCYYpDDBEBB2OXXqEtDtDWBBoDDBKngVngVuBBBh-BFBCpBBCIB0sBhBhB2K04D04DnrTDB9PCBpBBBnRMBhCBBCPPB9-P9-PBCBCGBCBByhM9BBqGGBud0Q0QsSAB", false)),
    Lo: () => new UnicodeRangeTable(decodeRanges("qFQQhIFFBCBxGBB7ZaBFDBuBfBCJBkBBBCiDBCZZBLLBBBDRRCdBe4CBMZZBfBWVBrBYBIKBGXBCGBRoBB8B1BBETTIJBROBFHBDBBDVBCGBCEEBCBERROBBCCBPBBLJJBEBFBBDVBCGBCBBCBBCBBgBDBCUUBBBRIBCCBCVBCGBCBBCEBETTQBBYMMBGBDBBDVBCGBCBBCEBEffBCCBBBQSSCFBECBCDBEBBCCCBEEBEEBBBELBX1B1BBGBCCBCWBCPBEbbBBBCBBDBBfFFBGBCCBCWBCJBCEBEffBBBCBBQBBSIBCCBCoBBDRRGCBJCBZFBGRBEXBCIBCDDBFB7BvBBCBBNFB8BBBCCCBDBCXBCCCBIBCBBKDDBDBYDBhBgCgCBGBCjBBcEB0DqBBVRRBEBFDBEEEBIIBBBFMBNyDyDBnKBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBmBPByDrTBDQBCZBGqCBHHBIRBOSBPRBPMBCCBQzBBpBkCkCBhBBC0BBIEBDhBBCGGBkCBLeByBdBDEBMrBBFZB3BWBK0BBxFuBBSHB3BdBOBBLrBBbjBBqBCBLdByDDBCFBCBBE7hB7hBBCB4-C3BBZWBKGBCGBCGBCGBCGBCGBCGBCGBoR2B2BF1CBJCCB4CBFGGBpBBC9CBSfBxBPBhQ-tGBhC0wUBC2jBBkCnBBJrIBFPBLBBjCyByBBkCBqFoDoDEGBCCBCDBCWBezBBPxBB-BFBECCBMMBaBLWBacBIuBBuBEBDIBLEBCoBBYCBCHBVPBCFBEEEBwBBCEEBDDBDBDCCZBBEKBIPPBEBDFBDFBKGBCGByEiBBej9KBNWBFwBBloItLBDpDBkCCCBIBCMBCEBCCCBCCBCCBqDBiBqLBT-BBD1BBpBLB1DEBCmEBqDJBCsBBDeBEFBDFBDFBDCBkBLBCZBCSBCBBCOBDNBjB6DBmMcBEwBBwBfBOTBCHBHlBBLdBDjBBFHBhEtCBjDnBBJzBB9CzBBN2JBKVBLHB5EFBDCCBqBBCBBEDDBVBLWBKeBiCSBCBBLVBLZBHZBnB3BBHBBhCQQBCBCCBCcBrBcBEcBkBHBCbBc1BBLVBLSBORBvDoCB4FjBBnBDBCxJxJBoBBHBBRCBCBB5BcBLJJBUBrBRBvBUBcWBN0BB6BBBDOOBrBBhBYBbjBBeDDJiBBENNBuBBPDBWCCkBRBCYBUBBgCGBCCCBCBCOBCJBIuBBnBHBDBBDVBCGBCBBCEBETTNEBfJBCDDClBBCaaCtBtBBzBBTDBVCBfvBBVBBC5F5FBtBBqBDBlBvBBV8B8BBpBBOoCoCBZBmBGB6FrBB0GHBDDDBGBCBBCXBQCC-CHBDmBBRCCdLLBmBBIWWMtBBUTTBnCBoGgBBgBIBCkBBSyByBBcBxDGBCBBClBBWaaBEBCBBCfBPYYBnBBCBBlISBQCCBLBChBB9DwCwCB4cBnHjGBtyCgDBQvhBBSFBa68DBGmSB61GdBj3B4RBIeBSuCBSdBTvBB0BUBGSB0NnBB2MqCBGwFwFB0mHBqBfBiDyDBuwIiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBxzI2P2PBrBBiBiKiKBcBTrBBlPaBmHdBDwGwGBdBCCBCBBCGBDEBKiHiHBFBCDBCBBCOBCkGB8pBDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQBlqE-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    Lt: () => new UnicodeRangeTable(decodeRanges("lOGDnB2sH2sHBGBJHBJHBNQQwBAB", false)),
    Lu: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiB2BCDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIJDCMCDQCDDDCCBC4BCIBBCBBDCCBCBCGCiJCCEJJHCCBBBCCCBCCBPBCIBkBDDBBBEWCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBpCDBNDBNDBNEBMDBnIFFECBDCBDEEBDBHGCBCBDDBLBBG+B+B9zCvBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoqZZBbZBbZBbCCBGDBDDBCBCHBbZBbBBCDBDHBCGBcBBCDBCEBCEEBFBcZBbZBbZBbZBbZBbZBfYBiBYBiBYBiBYBiBYBiB2pE2pEBgBB", false)),
    M: () => new UnicodeRangeTable(decodeRanges("gYvDB0IGBoIsBBCCCBCCBCCpCKBxBUBRmDmDBFBDFBDBBCDBkBffBZB8CKB7BIBKZZBCBCIBCCBCEBsBCB8BIBrBXBCgBB3BCBCRBCGBLBBeCB5BCCBFBDBBDCBKLLBbbDCB5BCCBDBFBBDCBEffBEEMCB5BCCBGBCCBCCBVBBXFBCCB5BCCBFBDBBDCBICBLBBf8B8BBDBECBCDBKpBpBBDB4BCCBFBCCBCDBIBBMBBeCB5BCCBFBCCBCDBIBBMBBQNNBCB4BBBCGBCCBCDBKLLBeeBBBnCFFBEBCCCBGBTBB+BDDBFBNHBjDDDBHBMGBqCBBcECFBByBTBCBBGKBCjBBKlDlDBSBYDBFCBCCBDGBEDBOLBCLLBCBgWCBzdDBdCBeBBfBBhCfBKuBuBBBBC2D2DBjBjB3DLBFLB8GEB6BJBCcBDxBxBBsBBDLBVEBwBQBnBIBNCBfMB5BNBxBTB5ECBCUBFHHDCBnG-BBxWgBB--CCBuEhDhDBeBrRFBqDBB1udDBCJBhBBBxCBBxIEEFYYBDBF0C0CBzBzBBQBbRBOnBnBBGBaMBtBDBwBNBlBkCkCBMBNJJBuBuBBBBzBCCBBBDBBGBBCqBqBBDBGBBtHHBCBBx5TiXiXBOBRPBuejHjH2EEBn0BCBCBBGDBpBCBFmFmFB+R+RBCBiCEB+JBBuCFBnCKByBDB7DCB2BOBqBDDBLLBCBuBKBI+B+BBBBlBNBRBBtBNNBBBxBNBJDBCBB9CLBHDD+ELBWDB4BBBCGBDBBDCBKLLBDDBFBEEBkCIBCDDCDBCEBCPPBzCzCBQBYyCyCBSBsHGBDIBcBBzCQBrDMBmDOBhIOB2HFBCBBDDBCCCBuEuEBFBDGBEddBIBpBGBCDBJKKBJBvBPBnGHBoGHBCHBzCVBCNB7DFBECCBCCBFBCjCjCBDBCBBCEB8KDBKBBCxBxBBFBEEBYmnFmnFHOBpmLRBhuCEB8BGB5gBCCB1BBIDByCMMBslTslTBizEizEBsBBDWB-QEBEFBJHBDGBfDB1ECB89B2BBFxBBJPPXEBCOBxqBGBCQBDGBCBBCEBlDhFhFBFB4L+B+BBCB9PDB-HBB0HDDIBBG7O7OBFBuDGB29lYvHB", false)),
    Mc: () => new UnicodeRangeTable(decodeRanges("joC4B4BDCBJDBCBBzBBB7BCBHBBDBBLsBsB7BCBjC7B7BBBBJCCB2B2BB7B7BCHHBDDBLLnDBBCBBECBCCBLqBqBBBB+BDB+BBB7BCCBDBDBBCBBKBBdPPB7B7BBBBGCBCCBLrBrBBsCsCBBBHHBTBBrKBBgCsFsFBFFHDDBaaBLLBBBDGBWBBDFBDLLBBB5zBffiEIIBGBCBB7KDBDCBFBBCFBhHBB7BCCKCCBJJBEByExBxBGCCBDBCBB+BffFBBD9B9BDCBCEEBxBxBBGBJBBsFWW35EBB0-dBBD5C5CBzBzBBOBvEBBwBxBxBBFFBDDBBBvDBBDBBZuBuBCuDuDDBBGuHuHBCCBCCBCC0gZCCgEuBuBBBBFBB0DZZB8B8BxBCBKBBO+C+CBBBEBBCrFrFBBBgBBB7BBBCDBDBBDCBKLLB1C1CBBBIDDCDBCBBCmDmDBBBJBBErDrDBBBHCCBCBDuHuHBBBHDBDyDyDBBBJBBCuDuDCBBHoDoDCBBFmImIBBBK4H4HBEBCBBFDDCvEvEBBBJDBF1C1CeBB-BqGqGECCoGPPrDIID2G2GBDBFBBC-K-KBNNxBBBJBBCpvQpvQBBBlxD2BBpDBB0rYBBHFB", false)),
    Me: () => new UnicodeRangeTable(decodeRanges("okBBB1xF-wB-wBBCBCCBsshBCB", false)),
    Mn: () => new UnicodeRangeTable(decodeRanges("gYvDB0IEBqIsBBCCCBCCBCCpCKBxBUBRmDmDBFBDFBDBBCDBkBffBZB8CKB7BIBKZZBCBCIBCCBCEBsBCB8BIBrBXBCfB4BCCFHBFEEBFBLBBe7B7BFDBJVVBbbDBB6BFFBFFBDDBBBEffBEEMBB6BFFBDBCBBFVVBXXBEBC7B7BDCCBCBJIIBMMBff+BNNzBEE4BCCBBBGCBCDBIBBMBBe7B7BDHHGBBVBBdBB6BBBFDBJVVBeepCIIBBBC7C7CDGBNHBjDDDBHBMGBqCBBcEC4BNBCEBCBBGKBCjBBKnDnDBCBCFBCBBDBBaBBFCBRDBODDBHHQgWgWBBBzdCBeBBfBBfBBhCBBCGBJDDBJBKuBuBBBBC2D2DBjBjB3DCBFBBKHHBBB8GBBD7B7BCGBCCCDHBHJBDxBxBBMBCeBDLBVDBxBCCBDBCGGpBIBNBBhBDBDBBCCB5BCCBEECCB7BHBDBB5ECBCMBCGBFHHEBBnG-BBxWMBFEEBKB--CCBuEhDhDBeBrRDBsDBB1udFFBIBhBBBxCBBxIEEFaaBGG4EBBbRBOnBnBBGBaKBvBCBxBDDBCBDBBoBkCkCBEBDBBDBBNJJwB0B0BCCBDBBGBBCrBrBBJJvHDDFx5Tx5TiXPBRPBuejHjH2EEBn0BCBCBBGDBpBCBFmFmFB+R+RBCBiCEB+JBBuCFBnCKByBDB8D3B3BBNBqBDDBLLBBByBDBDBBI+B+BBBBlBEBCHB-BNNB1B1BBHBLDBDgDgDBBBDCCBHHD+E+EEHBWBB6BBBEmBmBBFBEEBnCFBOECPBB2CHBDCBCYY1CFBCFFBCCBvHvHBCBHBBCBBcBB2CHBDCCBrDrDCDDBEBCmDmDCDDBCBCEBkIIBCBBhIBBCFFxEDBDBBFhBhBBIBpBFBDDBJKKBEBDCBvBMBCBBnGCCBBBCqGqGBFBCFBCzCzCBUBDGBCBBCBB7DFBECCBCCBFBCpCpCBEEC8K8KBMMB1B1BBDBGCCYmnFmnFHOBpmLLBECBhuCEB8BGB5gBgCgCBCByC5lT5lTBizEizEBsBBDWBhRCBSHBDGBfDB1ECB89B2BBFxBBJPPXEBCOBxqBGBCQBDGBCBBCEBlDhFhFBFB4L+B+BBCB9PDB-HBB0HDDIBBG7O7OBFBuDGB29lYvHB", false)),
    N: () => new UnicodeRangeTable(decodeRanges("wBJB5DBBGDDBBBitBJBnEJBnGJB9MJB3DJBFFBtDJB3DJB3DJBDFBvDMB0DJBJGBoDJBpDGBISBuDJBhDJB3DJBnCTBtIJBnCJBwWTBybCBwHJBHJBXJBtJJBhEKBmFJBHJB3FJB3CJBnEJBHJB3gBEEBEBHJBnGyBBDEB3W7BBvCVB3TdBqrBqYqYaIBPCB4KDBrEJBfHBCOBhBJBoBOBh7cJB9FJBhKFB7EJBnBJBnGJBXJB3CJB3MJB34UJBuPsBBN4BBSBB2KaBlBDBeJJnEEBrGJBvdHBaGBoBIBsCEBXFBhFBBDPBDtBBhCIB1BBBfCBsCEBpDHBZHBqBGBrKFBxBJBHJB3IeB-EJBrBDBxDGBnEdBhEJB9BJBxEJBITB8HJB3KJB3DJB3LJBnDJBHTBtCLBlNSB+CJB3UJB3CcBkHJBnCJB3BJBnLJBnDUBshBuDBimPJBnpCJB3CJBnEJBCGBvQJBnIWB+KCB6nXJBnuBTBNTBtDYB2iBxBBhqCJBnNJB3PJB4HJBtWIBhEJB4Y6BBCCBCDBtCsBBCOBjeMBk3CJB", false)),
    Nd: () => new UnicodeRangeTable(decodeRanges("wBJnxBJnEJnGJ9MJ3DJ3DJ3DJ3DJ3DJ3DJ3DJ3DJ3DJhDJ3DJnCJ3IJnCJn6BJnBJtJJhEJnFJHJ3FJ3CJnEJHJnuiBJnVJnBJnGJXJ3CJ3MJ34UJnsBJnkCJHJ9YJhEJ9BJxEJ3IJ3KJ3DJ3LJnDJHTtCJnNJnDJ3UJ3CJ3HJnCJ3BJnLJ3uQJnpCJ3CJnEJ3QJ37XJ12CxBhqCJnNJ3PJ4HJ2aJ30EJ", true)),
    Nl: () => new UnicodeRangeTable(decodeRanges("u3FCBwzCiBBDDB-zDaaBHBPCBs1dJBxyW0BBtOJJnEEBrhIuDBm8SCB", false)),
    No: () => new UnicodeRangeTable(decodeRanges("yFBBGDDBBB2pCFB5LFB5DCBmEGB6GGBSIByNJB2hBTB0jBJBhP20B20BEFBHJBnGPBqB3W3WB6BBvCVB3TdBqrB1kB1kBBCBrEJBfHBCOBhBJBoBOBxrdFBymWsBBiCDBSBB2KaBlBDB1pBHBaGBoBIBsCEBXFBhFBBDPBDtBBhCIB1BBBfCBsCEBpDHBZHBqBGBrKFBhLeB-EJBrBDBxDGBnETB8LTBmqBBBvNIBobSB0aUBn8SGB-YWBqhZTBNTBtDYBvqFIBid6BBCCBCDBtCsBBCOBjeMB", false)),
    P: () => new UnicodeRangeTable(decodeRanges("hBCBCFBCDBLBBEBBbCBCccCkBkBGEELBBEEE-VJJzOFBqBBB0BCCDDDtBBBVBBCBBOCCBBBrCDBnDsBsBBMBqHCB3BOBgBmImIBLLtE5D5D6DnMnMNwLwL7CLLBpFpFBNBCmBmBBCBoCrCrCBDBFBBwDFBsFlTlTBHB4EuTuTtBBBvCCBoCBB+ECBCCBmBKB6JBB5GBBhEGBCFBhFBBLGBdCB9DDB8BEB-BBBhCHBM9Z9ZBWBJTBCMBCLBfBBPBB6TDBeBB+hBNBwCBBgBJB0MVBgCDBhBBB8XDBCBBxDwEwEBtBBCfBDLBkNCBFJBDLBRNNjD7C7CjgdBBuICBkDLL0DFB9LDB3CBBpBCBCyByBBwBwBiDMBRBB9DDB-DBBRBB6HzqUzqUBxGxGBIBXiBBCNBCFFCBB2ECBCFBCDBLBBEBBbCBCccCCCBFB7MCB9UxBxB-MoXoXoGgBgBxIIBnBxDxDBFBjCGB6CDByO-J-JjBlElEBDBtBDB+FGBuDBBCDB-DDBxBBBwCDBFOOCCB5CFBsDrJrJBCCBzDzDBDBLBBCpDpD7HWBqDCBdMBtCjEjEBBB9HpIpIBBB8E9C9CBGB0CCBCEB+CJB4GgDgDBDBrBBBmUBBrCMBwFxjBxjBBDB97CBB8zOBBmEiCiCBDBJpRpRBBBoJDBoK9lT9lTovHEB07C-a-aBAB", false)),
    Pc: () => new UnicodeRangeTable(decodeRanges("-Cg-Hg-HBUU-u3BBBZCBwHAB", false)),
    Pd: () => new UnicodeRangeTable(decodeRanges("tB9qB9qB0BiyDiyDmgBqgCqgCBEBiwDDDgBBBFdd-NUUwDxszBxszBBmBmBLqFqFhzD-J-J", false)),
    Pe: () => new UnicodeRangeTable(decodeRanges("pB0B0BgB+1D+1DC-6B-6BqtC4B4BQ7T7TCff-hBMCxChBhBCGC1MUChCCCiBmhBmhBCECtBGCtNICEGCDBB-ozB6G6GeOCESSCCCrF0B0BgBGD", false)),
    Pf: () => new UnicodeRangeTable(decodeRanges("7F+6H+6HEddpuDCCFDDQEE", false)),
    Pi: () => new UnicodeRangeTable(decodeRanges("rFt7Ht7HDBBDaapuDCCFDDQEE", false)),
    Po: () => new UnicodeRangeTable(decodeRanges("hBCBCCBDECBLLBEEBcclCGGPBBI-V-VJzOzOBEBqB3B3BDDDtBBBVBBCBBOCCBBBrCDBnDsBsBBMBqHCB3BOBgBmImIBLLtE5D5D6DnMnMNwLwL7CLLBpFpFBNBCxDxDrCEBFBBwDFBsFlTlTBHBmY9D9DBBBoCBB+ECBCCBmBFBCDB6JBB5GBBhEGBCFBhFBBLGBdCB9DDB8BEB-BBBhCHBMjajaBJJBGBJIBDDBDCBEKBCCCBIB7kDDBCBBxDwEwEBFFBBBDDDBHBCBBCDDBLLBDBCJBDDBCCCBLBDCBtNCB6B+F+FjgdBBuICBkDLL0DFB9LDB3CBBpBCBCyByBBwBwBiDMBRBB9DDB-DBBRBB6HlxUlxUBFBDXXVBBDDBECBCDBICBHCCB2E2EBBBCCBDECBLLBEEBcclBDDB7M7MBBB9UxBxB-MoXoXoGgBgBxIIBnBxDxDBFBjCGB6CDB0ZlElEBDBtBDB+FGBuDBBCDB-DDBxBBBwCDBFOOCCB5CFBsDrJrJBCCBzDzDBDBLBBCpDpD7HWBqDCBdMBtCjEjEBBB9HpIpIBBB8E9C9CBGB0CCBCEB+CJB4GgDgDBDBrBBBmUBBrCMBwFxjBxjBBDB97CBB8zOBBmEiCiCBDBJpRpRBBBoJDBoK9lT9lTovHEB07C-a-aBAB", false)),
    Ps: () => new UnicodeRangeTable(decodeRanges("oBzBzBgB-1D-1DC-6B-6B-rCEEnB4B4BQ7T7TCff-hBMCxChBhBCGC1MUChCCCiBmhBmhBCECaTTCECtNICEGCDipzBipzB4GeeCMCESSCCCrFzBzBgBEEDAB", false)),
    S: () => new UnicodeRangeTable(decodeRanges("kBHHRCBgBCCcCCkBEBCBBDCCBCBDEEfgBgBrODBNNBGGBCCCBPB2DPPBxDxDsErIrIBBB3DCBDDDBvGvGLUUB4H4HIBBpEqLqLBHHB2H2H-DjEjEBGBlEwGwGqBmGmGiGCBQCCBBBDFBVECmEHBCFBCBBGDBmGBBxXJB0WuLuLlL+E+EBgBBiLJBKIBhiBCCBBBMCBOCBOCBOBBmCOOoBCBOCBUhBB-BBBCDBCBBLCCBBBGFBCECFMMBFFBDBGDBC7B7BBFFB2LBFcBD+HBXKByCtCBXnTBtBwBBDeBLyMBX+BBFfBD1LBDpEBmHFBmLBBvBZBC4CBN1GBbPBFOOBNNWBBHBB8CBB0HBBFJBhBlBBKRRBdBMdBJQQBeBLmBBQ-JBhuG-BBx0V2BB6RWBKBBoDBB+EDBLDB+RCBiHPPB+9T+9TpEgBBuLPBhCBB3BHBtBDBjDCCBBBD7E7EHRRBBBgBCCcCCiEGBCGBOBB6JIB6BQBDCBCMBEwBwBBrBB7zBBBwSmWmWBiKiKBGBnjC2kC2kCBbBr6SDBG3qU3qUk7DvHBLCBEzNBHWBQQBgDzDB9B1HBLmBBD7BBGCBXBBIdBF8BBWhCBE7F7FB1CBrbaagBaagBaagBaagBaa9B-PB4BDBzBHBCNBCBBp2BwNwNttCEE+DiOiOBvIvIBqBBFjDBNOBDOBCOBCkBBYgFB5BcBOrBBFIBIBBPFB7E4eBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBBPIBoB3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBC7CBLAB", false)),
    Sc: () => new UnicodeRangeTable(decodeRanges("kB+D+DBCBqnB8D8DzPBBzPBBI2H2HoImSmS8sClmClmCBgBB37hBkuVkuVtD7E7E8GBBEBB3-HDB-4wBxtCxtC", false)),
    Sk: () => new UnicodeRangeTable(decodeRanges("+CCCoCHHFEEqQDBNNBGGBCCCBPB2DPPBjoBjoB15FCCBBBMCBOCBOCBOBB9kEBBkzdWBKBBoDBBxePPBniUniUBPB8bCCjF4g9B4g9BBDB", false)),
    Sm: () => new UnicodeRangeTable(decodeRanges("rBRRBBB+BCCuBFFmBgBgB-XwQwQBBB8xGOOoBCBOCBsEoBoBBDBHlClCBDBGBBFGDIgBgBBDDCgBgBBqIBhBBB7CffBXBpBFB2OKK3BHBwDxKxKBDBDeBLPBhIiEBX+BBFfBDhIBxBUBDFB9+zB5Z5ZCCBlFRRBBB+BCCkEHHBCBitDBBhrwBx+Bx+BagBgBagBgBagBgBagBgBat5Ft5FB-uC-uCBHB", false)),
    So: () => new UnicodeRangeTable(decodeRanges("mFDDFCCyerIrIBgEgEBvGvGLUUB4H4HkQ2L2LjEFBClElEwGqBqBoMCBQCCBBBDFBVECmEHBCFBCBBGDBmGBBxXJB0WzWzW+EhBBiLJBKIBksBBBCDBCBBLCCBHHBEBCECFMMBPPCBBC7B7BBKKBDBDDBCBBCBBCGBCeBDBBCCCBdBtIHBFTBDGBDwCBCdBanBBHnCBXKByCtCBX2FBCIBC1BBJuDBC3HBtBrBBhC-HBhQvBBWBBHmBBDpEBmHFBmLBBvBZBC4CBN1GBbPBFOOBNNWBBHBBxKBBFJBhBlBBKRRBdBMdBJQQBeBLmBBQ-JBhuG-BBx0V2BBibDBLBBC+R+RBBBqqUPBuLPBhCBB3BHBuBCBlPEEFBBOBB6JIB6BQBDCBCMBEwBwBBrBB7zBBBwSpgBpgBBGBnjC2kC2kCBGBFQBr6SDBG3qU3qUk7DvHBLCBEzNBHWBQPBhDzDB9B1HBLmBBD7BBGCBXBBIdBF8BBWhCBE7F7FB1CBqlB-PB4BDBzBHBCNBCBBp2B96C96CiEyWyWBqBBFjDBNOBDOBCOBCkBBYgFB5BcBOrBBFIBIBBPFB7E6HBG4WBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBB-B3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBC7CBLAB", false)),
    Z: () => new UnicodeRangeTable(decodeRanges("gBgEgEgvFgsCgsCBJBeBBGwBwBh9DAB", false)),
    Zl: () => new UnicodeRangeTable(decodeRanges("ohIA", true)),
    Zp: () => new UnicodeRangeTable(decodeRanges("phIA", true)),
    Zs: () => new UnicodeRangeTable(decodeRanges("gBgEgEgvFgsCgsCBJBlBwBwBh9DAB", false)),
    ASCII_Hex_Digit: () => new UnicodeRangeTable(decodeRanges("wBJIFbF", true)),
    Alphabetic: () => new UnicodeRangeTable(decodeRanges("hCZBHZBwBLLFGGBVBCeBCpOBFLBPEBICC3CeeBQBCBBDDBCHHCCBCCCBSBCyCBCqEBJlFBClBBDHHBnBBoBNBCCCBCCBCCJaBFDBeKBG3BBCGBPlDBCHBFHBFCBLCBDRRBuBBOkDBZgBBKBBFGGBWBDSBUYBIKBGXBCGBIJJBoBBLLBEGBHrCBCPBCCBFOBOSBCHBDBBDVBCGBCEEBCBEHBDBBDBBCJJFBBCEBNBBLFFBBBCFBFBBDVBCGBCBBCBBCBBFEBFBBDBBFIIBCBCSSBEBMCBCIBCCBCVBCGBCBBCEBEIBCCBCBBEQQBCBWDBFCBCHBDBBDVBCGBCBBCEBEHBDBBDBBKBBFBBCEBORRBCCBEBECBCDBEBBCCCBEEBEEBBBELBFEBECBCCBEHHpBMBCCBCWBCPBEHBCCBCCBJBBCCBCBBDDBdDBCHBCCBCWBCJBCEBEHBCCBCCBJBBGCBCDBOCBNMBCCBCoBBDHBCCBCCBCGGBCBIEBXFBCCBCRBEXBCIBCDDBFBJFBCCCBGBTBBO5BBGGBH0B0BBECBDBCXBCCCBRBCCBDEBCHHPDBhBgCgCBGBCjBBFSBFPBCjBBkC2BBCDDBDBR-BBLDBDlBBCGGDqBBCsKBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBmBPBR1CBDFBErTBDQBCZBGqCBEKBITBMUBNTBNMBCCBCBBNzBBDSBPFFkC4CBIqBBGlCBLeBCLBFIBYdBDEBMrBBFZB3BbBF+BBDTBzBYYBMMBBByBzBBCOBCHB0BpBBDDBLrBBCKBP2BBXCBLjBBDKBGqBBDCBqBDBCFBCBBEGGB+FBUhBBM1IBDFBDlBBDFBDHBCGCBdBD0BBCGBCEEBBBCGBEDBDFBFMBGCBCGB1DOORMBmDFFDJBCEEBDBHGCBCBCKBDDBGEBFSSBnBBuZzBB34BkHBHDBEBBNlBBCGGD3BBIRRBVBKGBCGBCGBCGBCGBCGBCGBCGBCfBwB2O2OBBBaIBIEBDEBF1CBHCBC5CBCDBGqBBC9CBSfBxBPBhQ-tGBhCs0VBkCtBBDsIBEPBLBBVuBBGHBEwDBoBIBDmDBDxCBVUBCgBBZzBBNjCBCtBtBBEBECCBBBLgBBGiBBOcBEyBBCLBQRRBOBLEBC2BBKNBTWBEkCBCCCZCBDPBDDBMFBDFBDFBKGBCGBCqBBCNBH6DBWj9KBNWBFwBBloItLBDpDBnBGBNEBGLBCMBCEBCCCBCCBCCBqDBiBqLBT-BBD1BBpBLB1DEBCmEBlBZBHZBM4CBEFBDFBDFBDCBkBLBCZBCSBCBBCOBDNBjB6DBmC0BBsIcBEwBBwBfBOdBGqBBGdBDjBBFHBCEBrB9EBTjBBFjBBFnBBJzBBNKBCOBCGBCBBCKBCOBCGBCBBEzBBN2JBKVBLHBZFBCpBBCIBmCFBDCCBqBBCBBEDDBVBLWBKeBiCSBCBBLVBLZBHZBnB3BBHBBhCDBCBBGHBCCBCcBrBcBEcBkBHBCbBc1BBLVBLSBORBvDoCB4ByBBOyBBOnBBjBbBEGGBVB7HpBBCBBEBBRFBzBCBEcBLJJBUBrBRBvBUBcWBKlCBsBEBL4BBKOOBXBYyBBSDBJiBBEKKB+BBCDBKBBLCCkBRBChBBDHHBCB-BGBCCCBCBCOBCJBI4BBYDBCHBDBBDVBCGBCBBCEBEHBDBBDBBEHHGGBdJBCDDClBBCJBCDDCDBCBBECCtBhCBCCBCDBVCBfhCBDBBC5F5FB0BBDGBaFBjB+BBCEE8B1BBDoCoCBZBDNBWGB6F4BBoD-BBgBHBDDDBGBCBBCdBCBBDBBDDB+CHBDtBBDFBCCCBccBxBBDJBSnCBGTTBnCBoDHB5CgBBgBIBCsBBCGBCyByBBcBDVBCNBqCGBCBBCrBBECCBCCBBBCDDBZZBEBCBBCkBBCBBCDBCYYBqBBlIWBKQBCoBBECBwDwCwCB4cBnDuDBSjGBtyCgDBQvhBBSFBa68DBGmSB61GuBBy2B4RBIeBSuCBSdBTvBBRDBgBUBGSBxNsBB0G-BBhBYBDYBtBqCBF4BBIQBhCBBCNNBFBK1mHBqBfBiDyDB+vIDBCGBCBBCiJBQeeBBBDPPBCBJrMBloCqDBGMBEIBIJBFi7Fi7FBzCBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDYBCYBCeBCYBCeBCYBCeBCYBCeBCYBCHB15BeBHFB2GGBCQBDGBCBBCEBG9BBiBxDxDBrBBLGBRiKiKBcBTrBBlPbBlHdBDwGwGBdBCVBJBBhHGBCDBCBBCOBCkGB8BjCBEEE1lBDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1TZBHZBHZB3zD-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    Dash: () => new UnicodeRangeTable(decodeRanges("tB9qB9qB0BiyDiyDmgBqgCqgCBEB+BoBoBQnMnMlgDDDgBBBFdd-NUUwDxszBxszBBmBmBLqFqFhzD-J-J", false)),
    Emoji: () => new UnicodeRangeTable(decodeRanges("jBHHGJBwDFFu8HNN5GXX7CFBQBBwLBBNnFnFaKBFCBoGoHoHBLLK7B7BBCBCEBKGDBDDFDDCBBDIEBJJBBBGCCGLBMBBDCCBCCTDDBTTBEBCCCBEEBGGDBBFBBMBBGBBDGGBECBVVBGGBEBCDBDFFDDDBEBCDDCCCHEEHLLBQQDFFCFFBBBCMMBxBxBBBBKeP1LBBwOCBUBB0BFF7mBNN6SCCrrvDrGrGhFBBNBBPDDBIBsCZBCBBYVVDIBWBBvFhBBDvDBDBBCCBDyCBDCBCmIBC+BBMFBCXBIBBDHBNDDBCBDFFBOOBDDJBBKGGBBBNCBJCBDCCFHHEHHB0CBxBlCBGHBDDBEJBECCBEEDJBkHLBF8I8IBtBBCJBC4FBxDMBEKBE4BBCFFBOBDLBFJB", false)),
    Emoji_Component: () => new UnicodeRangeTable(decodeRanges("jBHHGJB0+H2G2Gsp3B3+8B3+8BBYB8PEBxtBDBtzhY-CB", false)),
    Emoji_Modifier: () => new UnicodeRangeTable(decodeRanges("7-8DE", true)),
    Emoji_Modifier_Base: () => new UnicodeRangeTable(decodeRanges("9wJ8G8GRDB4jzD9B9BBBBDDDBBB2DBBDKBWSBEFFBBBCCBICCZqGqGBFFWFFBvFvFBBBEEB0CRRBBBKMMgSDDJHBHKKBIBDCB5B+B+BBCCBCCSCBCMBmHCBrBIB", false)),
    Emoji_Presentation: () => new UnicodeRangeTable(decodeRanges("64IBBuGDBEDDqQBBWBBzBLBsBUUOJJBSSBGGBJJGWWIBBCFFDIIFBBdkBkBCFFBBBC+B+BBBBZPP8aBB0BFFvlxDrGrG-FDDBIBsCZBCZZVDDBDBCCBWBBvFgBBNIBClCBCVBNqBBFEBNQBEEEBlCBCCCB5FBD+BBODBCXBTbbBOO3C0CBxBlCBHEEBBBDDBEDBMBBIIBkHLBF8I8IBtBBCJBC4FBxDMBEKBE4BBCFFBOBDLBFJB", false)),
    Extended_Pictographic: () => new UnicodeRangeTable(decodeRanges("pFFFu8HNN5GXX7CFBQBBwLBBNnFnFaKBFCBoGoHoHBLLK7B7BBCBCEBKGDBDDFDDCBBDIEBJJBBBGCCGLBMBBDCCBCCTDDBTTBEBCCCBEEBGGDBBFBBMBBGBBDGGBECBVVBGGBEBCDBDFFDDDBEBCDDCCCHEEHLLBQQDFFCFFBBBCMMBxBxBBBBKeP1LBBwOCBUBB0BFF7mBNN6SCCrrvDoBoBBCBlDLBQBBQPPBmBmBBIBxDBBNBBPDDBIBU3BBcOBLVVDIBCDBKWBH7FBDvDBDBBCCBDyCBDCBCDBG9HBC+BBMFBCXBIBBDHBNDDBCBDFFBOOBDDJBBKGGBBBNCBJCBDCCFHHEHHB0CBxBlCBGHBDQBECCBEBDMB7GlBBNDB5BHBLFBpBHBfBBNDBDNBKmBBNuBBCJBC4FB5CHBPxEBhI9fB", false)),
    Hex_Digit: () => new UnicodeRangeTable(decodeRanges("wBJIFbFq1-BJIFbF", true)),
    Lowercase: () => new UnicodeRangeTable(decodeRanges("hDZBwBLLFlBlBBWBCHBC2BCBQCBuBCDECBBBDCCDEEBFFDEEBBBDDDCCCDCCBCCDEECDDBDDBBBHGDCOCBSCBDDCEEC4BCBFBDDDBCCFICBjCBDiBBIBBfEBhDsBsBCEEDDBTccBhBBCBBECBCWCBDBCGDB0B0BBuBBCgBCK0BCDMCBgDCxBoBBo6CqBBCDB5XFBjkCIBC2D2DB+FBiC0ECBHBCgDCBHBJFBLHBJHBJFBLHBJHBJNBDHBJHBJHBJEBCBBHEEBBBCBBJDBDBBJHBLCBCBB6DOORMBuDEEBEEcKFDBBJDBFiBiBBOBFsasaBYBn6BvBBCEEBGCFCCBCCBGBEiDCBIICFFNlBBCGG0oesBCUaCBBBmEMCBBBC8BCBIBCCCDICFCCDCCBBBCSCGGGCMCFCCDOCWDBCCCBBB2ZqBBCNBHvCBh6TGBNEBqhBZBumBnBBpEjBB8EKBCOBCGBCBBkODDBBBCpBBCIBmoByBB+DVB75CfBhsVfB8BYBnqZZBbGBCRBbZBbDBCCCBFBCKBbZBbZBbZBbZBbZBbZBbZBbZBbbBdYBCFBbYBCFBbYBCFBbYBCFBbYBCFBC15B15BBIBCTBHFBmI9BB1lChBB", false)),
    Math: () => new UnicodeRangeTable(decodeRanges("rBRRBBBgBeeCuBuBFmBmBgB5W5WBBBDbbBDDBBBwQCBuwGccBBBMEEOPPBCBWEBMEBiCMBFEEBFFBDBTFFDJBCDDBEBHEEBDDBCCBBBCFBENBClClCBWBCFBCBBFBBFfBCHHBPPBqIBJDBVBB7CffBZBCZZMGB+NBBNJBFFBFBBDBBEEBPCCDFBMHBGBB6BCCeDBKCBxK-BBhI-PBxBUBDFB9+zB4Z4ZBEBCjFjFRCBeCCeCCkEHHBCBitDBBhrwBwoBwoBBzCBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDjJBDxBBhwFDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1BBB-uCIB", false)),
    Quotation_Mark: () => new UnicodeRangeTable(decodeRanges("iBFFkEQQ96HHBaBBowDqOqOBCBOCBixzBDB+FFF7CBB", false)),
    Terminal_Punctuation: () => new UnicodeRangeTable(decodeRanges("hBLLCMMBEE-ZJJiQ6B6BpCPPCCB1FsBsBBJBCsHsHB3B3BBEBCHBgBmImIB1nB1nBBtFtFFFB4JBB2YHBmY9D9DBBBoCBB+ECBEoBoBBCBDBB7JBBjLDBjFBBLBBCCBeCB8FEB-BBBldYYBKKBBBwlDCBzJOOFLLCBBEBBtNBB8ndBBuICBkHEB-LBB3CBBgD4E4EBBB0ECBgERRB6H6HnxUDDB6B6BBBBCDBqFLLCMMBEEiCDD7hBxBxBnkBoGoG3JBB5EFBlCFB6CDB5dEBtBDB+FGBxDDBgECBiEBBHRRB5C5CBDBtDrJrJB2D2DBBBNBBnLDBEOBqDBB6HCBmQCC8HBB4CBBFBB-MCBuBmUmUBrCrCBspBspBBDB6vRBBmEiCiCBBBLqRqRBoJoJBnwTnwTovHDB", false)),
    Uppercase: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiB2BCDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIJDCMCDQCDDDCCBC4BCIBBCBBDCCBCBCGCiJCCEJJHCCBBBCCCBCCBPBCIBkBDDBBBEWCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBpCDBNDBNDBNEBMDBnIFFECBDCBDEEBDBHGCBCBDDBLBBGbbBOBUzZzZBYBx5BvBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoqZZBbZBbZBbCCBGDBDDBCBCHBbZBbBBCDBDHBCGBcBBCDBCEBCEEBFBcZBbZBbZBbZBbZBbZBfYBiBYBiBYBiBYBiBYBiB2pE2pEBgBBvgCZBHZBHZB", false)),
    White_Space: () => new UnicodeRangeTable(decodeRanges("JEBTlDlDbgvFgvFgsCKBeBBGwBwBh9DAB", false))
  });
  static SCRIPTS = new LazyMap({
    Adlam: () => new UnicodeRangeTable(decodeRanges("go6DrCFJFB", true)),
    Ahom: () => new UnicodeRangeTable(decodeRanges("g4lCaDOFW", true)),
    Anatolian_Hieroglyphs: () => new UnicodeRangeTable(decodeRanges("ggxCmS", true)),
    Arabic: () => new UnicodeRangeTable(decodeRanges("gwBEBCFBCNBCCBCfBCJBMZBCrDBChBBxCvBBxHhBBGqCBCcBxy8BtPBDvEBhBPBxDEBCmEBk7DeBkCFBJIBiBFBh43BDBCaBCBBCDDCJBCDBCCCHFFCECBBBCBBCDDCICBCCDDBCGBCDBCDBCCCBIBCQBGCBCEBCQB1BBB", false)),
    Armenian: () => new UnicodeRangeTable(decodeRanges("xpBlBDxBDCks9BE", true)),
    Avestan: () => new UnicodeRangeTable(decodeRanges("g4iC1BEG", true)),
    Balinese: () => new UnicodeRangeTable(decodeRanges("g4GsCCxB", true)),
    Bamum: () => new UnicodeRangeTable(decodeRanges("g1pB3CpowB4R", true)),
    Bassa_Vah: () => new UnicodeRangeTable(decodeRanges("w26CdDF", true)),
    Batak: () => new UnicodeRangeTable(decodeRanges("g+GzBJD", true)),
    Bengali: () => new UnicodeRangeTable(decodeRanges("gsCDBCHBDBBDVBCGBCEEBCBDIBDBBDDBJFFBCCBDBDYB", false)),
    Beria_Erfe: () => new UnicodeRangeTable(decodeRanges("g17CYDY", true)),
    Bhaiksuki: () => new UnicodeRangeTable(decodeRanges("ggnCICsBCNLc", true)),
    Bopomofo: () => new UnicodeRangeTable(decodeRanges("qXB6wLqBxDf", true)),
    Brahmi: () => new UnicodeRangeTable(decodeRanges("ggkCtCFjBKA", true)),
    Braille: () => new UnicodeRangeTable(decodeRanges("ggK-H", true)),
    Buginese: () => new UnicodeRangeTable(decodeRanges("gwGbDB", true)),
    Buhid: () => new UnicodeRangeTable(decodeRanges("g6FT", true)),
    Canadian_Aboriginal: () => new UnicodeRangeTable(decodeRanges("ggF-TxRlC7tgCP", true)),
    Carian: () => new UnicodeRangeTable(decodeRanges("g1gCwB", true)),
    Caucasian_Albanian: () => new UnicodeRangeTable(decodeRanges("wphCzBMA", true)),
    Chakma: () => new UnicodeRangeTable(decodeRanges("gokC0BCR", true)),
    Cham: () => new UnicodeRangeTable(decodeRanges("gwqB2BKNDJDD", true)),
    Cherokee: () => new UnicodeRangeTable(decodeRanges("g9E1CDFz7lBvC", true)),
    Chorasmian: () => new UnicodeRangeTable(decodeRanges("w9jCb", true)),
    Common: () => new UnicodeRangeTable(decodeRanges("AgCBbFBbuBBCOBCEBYgBgBiOmBBGEBDTB1DKKHCC+THHPEEhB9E9ElQiEiEB6mB6mB2MDBjJwvBwvBBBBoCBBsGBBCumBumBOIIBCBCFBCCBDmYmYBKBD2CBCKBEKBCOBShBB-BlBBCCBDFBCaBCQBqBCBF5UBXKBW-cBhIzTBDpEBhQ9CBzMUBCCCBXBQHBFDB8CBBE7C7CB0E0EBOBhBlBBKxBxBB+BBgBwCBwB5C5CBmFBhuG-BBhoWhBBnDCBmFJB1HhFhFsMPPBzuUzuUBxGxGBIBXiBBCSBCDB0ECCBeBbFBbKBLuBuBBhChCBFBCGBLEBjICBFsBBEIBxCMB0BsBBlHaBltuBDB96D8HBEzNBHWBQQBgDzDB9B1HBLmBBD9BBEQBJBBIdBF8BB2GTBNTBN2CBKYBoE0CBCmCBCBBDDDBDDBCBCLBCCCBFBCgCBCDBDHBCGBCbBCDBCEBCEEBFBCzKBDjJBDxBByjFjCBtC8BBjWrBBFjDBNOBDOBCOBCkBBLtFB5BZBCBBOrBBFIBIBBPFB7E4eBEQBEMBE5GBHLBFQQBKBF3BBJJBHnBBJdBDLBFBBPIBoB3KBJNBDMBEKBE4BBCFFBOBDLBFJBIyEBCmDBnghYffB+CB", false)),
    Coptic: () => new UnicodeRangeTable(decodeRanges("ifNxkKzDGG", true)),
    Cuneiform: () => new UnicodeRangeTable(decodeRanges("ggoC5cnDuDCEMjG", true)),
    Cypriot: () => new UnicodeRangeTable(decodeRanges("ggiCFBDCCBqBBCBBEDD", false)),
    Cypro_Minoan: () => new UnicodeRangeTable(decodeRanges("w8rCiD", true)),
    Cyrillic: () => new UnicodeRangeTable(decodeRanges("ggBkEBDoFBx6FKBhFtCtCojEfBhie-CBv8VBBhw4B9BBiBAB", false)),
    Deseret: () => new UnicodeRangeTable(decodeRanges("gghCvC", true)),
    Devanagari: () => new UnicodeRangeTable(decodeRanges("goCwCFODZh7nBfhwcJ", true)),
    Dives_Akuru: () => new UnicodeRangeTable(decodeRanges("gomCGBDDDBGBCBBCdBCBBDLBKJB", false)),
    Dogra: () => new UnicodeRangeTable(decodeRanges("ggmC7B", true)),
    Duployan: () => new UnicodeRangeTable(decodeRanges("ggvDqDGMEIIJDD", true)),
    Egyptian_Hieroglyphs: () => new UnicodeRangeTable(decodeRanges("ggsC1iBL68D", true)),
    Elbasan: () => new UnicodeRangeTable(decodeRanges("gohCnB", true)),
    Elymaic: () => new UnicodeRangeTable(decodeRanges("g-jCW", true)),
    Ethiopic: () => new UnicodeRangeTable(decodeRanges("gwEoCBCDBDGBCCCBCBDoBBCDBDgBBCDBDGBCCCBCBDOBC4BBCDBDiCBDfBEZBnvGWBKGBCGBCGBCGBCGBCGBCGBCGBjpfFBDFBDFBKGBCGBylvCGBCDBCBBCOB", false)),
    Garay: () => new UnicodeRangeTable(decodeRanges("gqjClBEcJB", true)),
    Georgian: () => new UnicodeRangeTable(decodeRanges("glElBBCGGDqBBCDBx8CqBBDCBhiElBBCGG", false)),
    Glagolitic: () => new UnicodeRangeTable(decodeRanges("ggL-Ch9sDGCQDGCBCE", true)),
    Gothic: () => new UnicodeRangeTable(decodeRanges("w5gCa", true)),
    Grantha: () => new UnicodeRangeTable(decodeRanges("g4kCDBCHBDBBDVBCGBCBBCEBDIBDBBDCBDHHGGBDGBEEB", false)),
    Greek: () => new UnicodeRangeTable(decodeRanges("wbDBCCBDDBCFFCCCBBBCCCBSBC+BBPPBnpGEBzBEBFEB1ChKhKBUBDFBDlBBDFBDHBCGCBdBD0BBCOBCNBDFBCSBDCBCIBoJ-xiB-xiB7uVuCBSgj0Bgj0BBkCB", false)),
    Gujarati: () => new UnicodeRangeTable(decodeRanges("h0CCBCIBCCBCVBCGBCBBCEBDJBCCBCCBDQQBCBDLBIGB", false)),
    Gunjala_Gondi: () => new UnicodeRangeTable(decodeRanges("grnCFCBCkBCBCFIJ", true)),
    Gurmukhi: () => new UnicodeRangeTable(decodeRanges("hwCCBCFBFBBDVBCGBCBBCBBCBBDCCBDBFBBDCBEIIBCBCIIBPB", false)),
    Gurung_Khema: () => new UnicodeRangeTable(decodeRanges("go4C5B", true)),
    Han: () => new UnicodeRangeTable(decodeRanges("g0LZBC4CBN1GBwBCCaIBPDBle-tGBhC-vUBhoWtLBDpDBpodBBNGBqgkB-2pBBhB9oEBDt0FBDwpHBQtTBjtC9QBjvBq6EBGppIB", false)),
    Hangul: () => new UnicodeRangeTable(decodeRanges("goE-HvxHBiI9CyDeiCei3dckUj9KNWFwBl9JeEFDFDFDC", true)),
    Hanifi_Rohingya: () => new UnicodeRangeTable(decodeRanges("gojCnBJJ", true)),
    Hanunoo: () => new UnicodeRangeTable(decodeRanges("g5FU", true)),
    Hatran: () => new UnicodeRangeTable(decodeRanges("gniCSCBGE", true)),
    Hebrew: () => new UnicodeRangeTable(decodeRanges("xsB2BBJaBFFBpp9BZBCEBCCCBCCBCCBIB", false)),
    Hiragana: () => new UnicodeRangeTable(decodeRanges("hiM1CBHCBi7-C+IBTeeBBBulQAB", false)),
    Imperial_Aramaic: () => new UnicodeRangeTable(decodeRanges("giiCVCI", true)),
    Inherited: () => new UnicodeRangeTable(decodeRanges("gYvDB2IBBlOKBbhXhXBCB8qEtBBDLBlPCBCMBCGBFHHEBBnG-BBtQBBjGgBB65DDBsDBBmrzBPBRNBwejHjH7iEl+uBl+uBBsBBDWBhRCBSHBDGBfDBz6rYvHB", false)),
    Inscriptional_Pahlavi: () => new UnicodeRangeTable(decodeRanges("g7iCSGH", true)),
    Inscriptional_Parthian: () => new UnicodeRangeTable(decodeRanges("g6iCVDH", true)),
    Javanese: () => new UnicodeRangeTable(decodeRanges("gsqBtCDJFB", true)),
    Kaithi: () => new UnicodeRangeTable(decodeRanges("gkkCiCLA", true)),
    Kannada: () => new UnicodeRangeTable(decodeRanges("gkDMCCCWCJCEDICCCDIBGCCDDJCC", true)),
    Katakana: () => new UnicodeRangeTable(decodeRanges("hlM5CBDCBxHPBxGuBBC3CBvgzBJBCsBBzisBDBCGBCBBCgJgJBBBzBPPBCB", false)),
    Kawi: () => new UnicodeRangeTable(decodeRanges("g4nCQCoBEc", true)),
    Kayah_Li: () => new UnicodeRangeTable(decodeRanges("goqBtBCA", true)),
    Kharoshthi: () => new UnicodeRangeTable(decodeRanges("gwiCDCBGHCCCcDCFJII", true)),
    Khitan_Small_Script: () => new UnicodeRangeTable(decodeRanges("k-7C84G84GB0OBqBAB", false)),
    Khmer: () => new UnicodeRangeTable(decodeRanges("g8F9CDJHJnPf", true)),
    Khojki: () => new UnicodeRangeTable(decodeRanges("gwkCRCuB", true)),
    Khudawadi: () => new UnicodeRangeTable(decodeRanges("w1kC6BGJ", true)),
    Kirat_Rai: () => new UnicodeRangeTable(decodeRanges("gq7C5B", true)),
    Lao: () => new UnicodeRangeTable(decodeRanges("h0DBBCCCBDBCXBCCCBVBDEBCCCBFBCJBDDB", false)),
    Latin: () => new UnicodeRangeTable(decodeRanges("hCZBHZBwBQQGWBCeBCgOBoBEB8wGlBBHwBBGDBGMBClCBiC-HByLOORMBuEBBHccSoBB42CfBj1elDBExCBVOBxZqBBCIBCDB38TGB7gBZBHZBmhCFBCpBBCIBm61BeBHFB", false)),
    Lepcha: () => new UnicodeRangeTable(decodeRanges("ggH3BEOEC", true)),
    Limbu: () => new UnicodeRangeTable(decodeRanges("goGeBCLBFLBFEEBKB", false)),
    Linear_A: () => new UnicodeRangeTable(decodeRanges("gwhC2JKVLH", true)),
    Linear_B: () => new UnicodeRangeTable(decodeRanges("gggCLCZCSCBCODNjB6D", true)),
    Lisu: () => new UnicodeRangeTable(decodeRanges("wmpBvBx1eA", true)),
    Lycian: () => new UnicodeRangeTable(decodeRanges("g0gCc", true)),
    Lydian: () => new UnicodeRangeTable(decodeRanges("gpiCZGA", true)),
    Mahajani: () => new UnicodeRangeTable(decodeRanges("wqkCmB", true)),
    Makasar: () => new UnicodeRangeTable(decodeRanges("g3nCY", true)),
    Malayalam: () => new UnicodeRangeTable(decodeRanges("goDMCCCyBCCCFFPDZ", true)),
    Mandaic: () => new UnicodeRangeTable(decodeRanges("giCbDA", true)),
    Manichaean: () => new UnicodeRangeTable(decodeRanges("g2iCmBFL", true)),
    Marchen: () => new UnicodeRangeTable(decodeRanges("wjnCfDVCN", true)),
    Masaram_Gondi: () => new UnicodeRangeTable(decodeRanges("gonCGBCBBCrBBECCBCCBHBJJB", false)),
    Medefaidrin: () => new UnicodeRangeTable(decodeRanges("gy7C6C", true)),
    Meetei_Mayek: () => new UnicodeRangeTable(decodeRanges("g3qBWqGtBDJ", true)),
    Mende_Kikakui: () => new UnicodeRangeTable(decodeRanges("gg6DkGDP", true)),
    Meroitic_Cursive: () => new UnicodeRangeTable(decodeRanges("gtiCXFTDtB", true)),
    Meroitic_Hieroglyphs: () => new UnicodeRangeTable(decodeRanges("gsiCf", true)),
    Miao: () => new UnicodeRangeTable(decodeRanges("g47CqCF4BIQ", true)),
    Modi: () => new UnicodeRangeTable(decodeRanges("gwlCkCMJ", true)),
    Mongolian: () => new UnicodeRangeTable(decodeRanges("ggGBBDCCBSBH4CBIqBB2t-BMB", false)),
    Mro: () => new UnicodeRangeTable(decodeRanges("gy6CeCJFB", true)),
    Multani: () => new UnicodeRangeTable(decodeRanges("g0kCGBCCCBCBCOBCKB", false)),
    Myanmar: () => new UnicodeRangeTable(decodeRanges("ggE-EhqmBeiDfxibT", true)),
    Nabataean: () => new UnicodeRangeTable(decodeRanges("gkiCeJI", true)),
    Nag_Mundari: () => new UnicodeRangeTable(decodeRanges("wm5DpB", true)),
    Nandinagari: () => new UnicodeRangeTable(decodeRanges("gtmCHDtBDK", true)),
    New_Tai_Lue: () => new UnicodeRangeTable(decodeRanges("gsGrBFZHKEB", true)),
    Newa: () => new UnicodeRangeTable(decodeRanges("gglC7CCE", true)),
    Nko: () => new UnicodeRangeTable(decodeRanges("g+B6BDC", true)),
    Nushu: () => new UnicodeRangeTable(decodeRanges("h-7CvsQvsQBqMB", false)),
    Nyiakeng_Puachue_Hmong: () => new UnicodeRangeTable(decodeRanges("go4DsBENDJFB", true)),
    Ogham: () => new UnicodeRangeTable(decodeRanges("g0Fc", true)),
    Ol_Chiki: () => new UnicodeRangeTable(decodeRanges("wiHvB", true)),
    Ol_Onal: () => new UnicodeRangeTable(decodeRanges("wu5DqBFA", true)),
    Old_Hungarian: () => new UnicodeRangeTable(decodeRanges("gkjCyBOyBIF", true)),
    Old_Italic: () => new UnicodeRangeTable(decodeRanges("g4gCjBKC", true)),
    Old_North_Arabian: () => new UnicodeRangeTable(decodeRanges("g0iCf", true)),
    Old_Permic: () => new UnicodeRangeTable(decodeRanges("w6gCqB", true)),
    Old_Persian: () => new UnicodeRangeTable(decodeRanges("g9gCjBFN", true)),
    Old_Sogdian: () => new UnicodeRangeTable(decodeRanges("g4jCnB", true)),
    Old_South_Arabian: () => new UnicodeRangeTable(decodeRanges("gziCf", true)),
    Old_Turkic: () => new UnicodeRangeTable(decodeRanges("ggjCoC", true)),
    Old_Uyghur: () => new UnicodeRangeTable(decodeRanges("w7jCZ", true)),
    Oriya: () => new UnicodeRangeTable(decodeRanges("h4CCCHDBDVCGCBCEDIDBDCICFBCEDR", true)),
    Osage: () => new UnicodeRangeTable(decodeRanges("wlhCjBFjB", true)),
    Osmanya: () => new UnicodeRangeTable(decodeRanges("gkhCdDJ", true)),
    Pahawh_Hmong: () => new UnicodeRangeTable(decodeRanges("g46ClCLJCGCUGS", true)),
    Palmyrene: () => new UnicodeRangeTable(decodeRanges("gjiCf", true)),
    Pau_Cin_Hau: () => new UnicodeRangeTable(decodeRanges("g2mC4B", true)),
    Phags_Pa: () => new UnicodeRangeTable(decodeRanges("giqB3B", true)),
    Phoenician: () => new UnicodeRangeTable(decodeRanges("goiCbEA", true)),
    Psalter_Pahlavi: () => new UnicodeRangeTable(decodeRanges("g8iCRIDNG", true)),
    Rejang: () => new UnicodeRangeTable(decodeRanges("wpqBjBMA", true)),
    Runic: () => new UnicodeRangeTable(decodeRanges("g1FqCEK", true)),
    Samaritan: () => new UnicodeRangeTable(decodeRanges("ggCtBDO", true)),
    Saurashtra: () => new UnicodeRangeTable(decodeRanges("gkqBlCJL", true)),
    Sharada: () => new UnicodeRangeTable(decodeRanges("gskC-ChsCH", true)),
    Shavian: () => new UnicodeRangeTable(decodeRanges("wihCvB", true)),
    Siddham: () => new UnicodeRangeTable(decodeRanges("gslC1BDlB", true)),
    Sidetic: () => new UnicodeRangeTable(decodeRanges("gqiCZ", true)),
    SignWriting: () => new UnicodeRangeTable(decodeRanges("gg2DrUQECO", true)),
    Sinhala: () => new UnicodeRangeTable(decodeRanges("hsDCBCRBEXBCIBCDDBFBEFFBEBCCCBGBHJBDCBt-gCTB", false)),
    Sogdian: () => new UnicodeRangeTable(decodeRanges("w5jCpB", true)),
    Sora_Sompeng: () => new UnicodeRangeTable(decodeRanges("wmkCYIJ", true)),
    Soyombo: () => new UnicodeRangeTable(decodeRanges("wymCyC", true)),
    Sundanese: () => new UnicodeRangeTable(decodeRanges("g8G-BhIH", true)),
    Sunuwar: () => new UnicodeRangeTable(decodeRanges("g+mChBPJ", true)),
    Syloti_Nagri: () => new UnicodeRangeTable(decodeRanges("ggqBsB", true)),
    Syriac: () => new UnicodeRangeTable(decodeRanges("g4BNC7BDCxIK", true)),
    Tagalog: () => new UnicodeRangeTable(decodeRanges("g4FVKA", true)),
    Tagbanwa: () => new UnicodeRangeTable(decodeRanges("g7FMCCCB", true)),
    Tai_Le: () => new UnicodeRangeTable(decodeRanges("wqGdDE", true)),
    Tai_Tham: () => new UnicodeRangeTable(decodeRanges("gxG+BCcDKHJHN", true)),
    Tai_Viet: () => new UnicodeRangeTable(decodeRanges("g0qBiCZE", true)),
    Tai_Yo: () => new UnicodeRangeTable(decodeRanges("g25DeCVJB", true)),
    Takri: () => new UnicodeRangeTable(decodeRanges("g0lC5BHJ", true)),
    Tamil: () => new UnicodeRangeTable(decodeRanges("i8CBBCFBECBCDBEBBCCCBEEBEEBBBELBFEBECBCDBDHHPUBm+kCxBBOAB", false)),
    Tangsa: () => new UnicodeRangeTable(decodeRanges("wz6CuCCJ", true)),
    Tangut: () => new UnicodeRangeTable(decodeRanges("g-7CgBgBB+3GBhQeBiDyDB", false)),
    Telugu: () => new UnicodeRangeTable(decodeRanges("ggDMCCCWCPDICCCDIBCCCBDDDJII", true)),
    Thaana: () => new UnicodeRangeTable(decodeRanges("g8BxB", true)),
    Thai: () => new UnicodeRangeTable(decodeRanges("hwD5BGb", true)),
    Tibetan: () => new UnicodeRangeTable(decodeRanges("g4DnCCjBFmBCjBCOCGFB", true)),
    Tifinagh: () => new UnicodeRangeTable(decodeRanges("wpL3BIBPA", true)),
    Tirhuta: () => new UnicodeRangeTable(decodeRanges("gklCnCJJ", true)),
    Todhri: () => new UnicodeRangeTable(decodeRanges("guhCzB", true)),
    Tolong_Siki: () => new UnicodeRangeTable(decodeRanges("wtnCrBFJ", true)),
    Toto: () => new UnicodeRangeTable(decodeRanges("w04De", true)),
    Tulu_Tigalari: () => new UnicodeRangeTable(decodeRanges("g8kCJBCDDClBBCJBCDDCDBCJBCBBJBB", false)),
    Ugaritic: () => new UnicodeRangeTable(decodeRanges("g8gCdCA", true)),
    Unknown: () => new UnicodeRangeTable(decodeRanges("4bBBHDBICCVuMuMnBBBzBBBE4B4BBGBcDBHKBvI9B9BBmDmDBMB8BBByBBBQddBCCMEBjBEBuHJJBDDBXXICCBBBFBBKBBDBBFHBCDBDGGBaaBEEHDBDBBXIIDGDBCCGDBDBBECBCGBFCCBFBSJBEKKEXXIDDGBBLIEBCCBNBFBBNGBIEEJBBDBBXIIDGGBKKBDDBEEBFBEDBDGGBTTBIBDHHBBBEFFBBBDCCDCBDCBECBNDBGCBEFFBCCBEBCNBWEBOEEYRRBKKEFFBFBDEEDBBFBBLGBXEEYLLGBBKEEFGBDEBEFFBLLELBOEE0BEEHDBRBBbEETCBZKKCBBICBCDBHCCJFBLBBELB7BDBekBBDCCGZZCYYBGGCIILBBFfBpClBlBBCBoBlBlBQOOBjBBnGCCBDBCBB6LFFBIICFFBqBqBFBBiBFFBIICFFBQQ6BFFBkCkCBhBhBBBBbFB3CBBHBB+UCB6CGBXIBZIBVLBOEEDLB-CBBLFBLFBbFB6CGBsBEBnCJBgBNNBCBNDBCCBrBBBGKBtBDBbFBMCB-BBBiCeeBMMBEBLFBPBBvBBBNTBuCnFnFBGB9BCBQCB-BEBsBBBMHBsBEB3QBBHBBnBBBHBBJGCgBBB2BQQPBBHUUBEEKmDmDNBBcOOBBBjBNBiBOBtEDB7UVBMUB14BBB-LEBuBCCBDBCBB5BGBDNBZIBI4BI-DhBBb6C6CBKB3GZBxC3C3CBoDoDBDBsB-C-C3CIBxBuzcuzcBBB4BIB9KTB5FHB+GTB9BCBLFB5BHBnCHBNFB1DKBfCBvCMMBCBiB4B4BBHBPBBLBBoDXBdJBHBBHBBHIBIII9BDB-DBBLFBl9KLBYDByBjoIBvLBBrDlBBILBGEBbGGCGDrUfBrBFB0BUUFDBGoEoEBCC-FCBHBBHBBHBBECBIIIBIBGBBNbbUDDQBBPhBB8DEBEDBuBCB5COOBBBCuBBvBhEBeCByBOBdDBlBIBfEBsBEBfmBmBBCBPpBB-EBBLFBlBDBlBDBpBHB1BKBNQQIDDMQQIDDBBB1BLB4JIBXJBJXBHrBrBKkCBHBBCtBtBDCBCBBYpCpCBGBKvBBUDDBDBiBCBcEBclBB5BDBVBBzBDDBDBJEEeBBEDBLGBKGBhCfBoBDBNIB3BCBeBBcEBbGBFLBIvCBqC2BB0BMB0BGBvBHBLFBnBCBeHBDvGBgBrBrBEBBDPBHHBKgBBvBHBrBVBblBBdTBYIBvCDBlBIBlCJBCBBaGBLFB2BTTBGBoBIBhDVVBJBTwBwBB8BBICCFQQMFB8BEBLFBFJJBDDBXXIDDGLLBDDBEEBCCBEBCEBIBBICBGKBLCCBCCnBLLCBBCFFLDDBGBDcB9CGGBcBpCHBLlFB3BBBnBhBBmCKBLFBOSB7BFBLFBVbBcBBQDBY4FB9BjDB0CLBJBBCBBJDDfDDBNNBHBLlCBJBBvBBBMaBpCHB0CMBqCGBL1CBJ3CBjBNBLFBKuBuBPJBeCBhBBBXPPBnCBIDDtBCBCDDKHBLFBHDDmBDDHGBLFBtBDBL1HBaGBSqBqBBBBe0CBCOBzBMB8clDBwDGGBJBlGryCBkDMB3iBJB88DEBoS41GB7Bl2BB6RGBgBLLBCByCLLBEBfBBHJBnCJBLIIWEBUvNB7BlGB8CEBaBBarBBsCDB6BGBS-BBGKBIIB3mHoBBhBgDB0D8vIBFIIDkJkJBNBCcBEBBCNBFHBtMjoCBsDEBOCBKGBLBBJ76DB+HCB1NFBYOBSOBvBBBYIB1D7BB3HJBoBBBjGUBnC5DBVLBVLB4CIBamEB2CoCoCDBBCBBDBBFNNCIIiCFFBJJIddFGGCCBI1K1KBlJlJB-V-VBNBGQQBuiBBgBFBH0GBISSBIIDGGBDB-BgBBCvDBuBCBPBBLDBD-JBgBQB7BEBCvOBrB1GBsBDBC-FBgBXXBGBD-GBIFFDQQmGBBRoBBtCDBLDBDwYBlCrCB+BhGBFccDCCBCCLFFCCCBEBCDBCECEDDCBBCICDCCBFFIKFCLLSEBEGGSzBBDtIBtBDBlDLBQBBQQQmBJBvF3BBeMBtBDBKGBDNBH5EB6eCBSCBOCB7GFBNDBCOBNDB5BHBLFBpBHBfBBNDBDNBKmBB5KHBPBBOCBMCB6BCCBCBRBBNDBLGB0EoDoDBjgBBh3pBfB-oEBBv0FBBypHOBvThtCB-QhvBBs6EEBrpIm8yVBCdBhD-DBxHvw-FB", false)),
    Vai: () => new UnicodeRangeTable(decodeRanges("gopBrJ", true)),
    Vithkuqi: () => new UnicodeRangeTable(decodeRanges("wrhCKCOCGCBCKCOCGCB", true)),
    Wancho: () => new UnicodeRangeTable(decodeRanges("g24D5BGA", true)),
    Warang_Citi: () => new UnicodeRangeTable(decodeRanges("glmCyCNA", true)),
    Yezidi: () => new UnicodeRangeTable(decodeRanges("g0jCpBCCDB", true)),
    Yi: () => new UnicodeRangeTable(decodeRanges("ggoBskBE2B", true)),
    Zanabazar_Square: () => new UnicodeRangeTable(decodeRanges("gwmCnC", true))
  });
  static FOLD_CATEGORIES = new LazyMap({
    L: () => new UnicodeRangeTable(decodeRanges("laA", true)),
    LC: () => new UnicodeRangeTable(decodeRanges("laA", true)),
    Ll: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiBuBCEECDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIBBCBBCBBCOCDQCDBBCCCBBBC4BCIBBCBBDCCBCBCGC3HrBrBCEEJHHCCBCCCBCCBPBCIBkBJJCUCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBZHBJHBJHBJEBMEBMDBNEBMEBqJEEBHHxC9zC9zCBuBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoyehBB", false)),
    Lt: () => new UnicodeRangeTable(decodeRanges("kOCCBCCBCClBCCtsHHBJHBJHBMQQwBAB", false)),
    Lu: () => new UnicodeRangeTable(decodeRanges("hDZB7BqBqBBWBCHBCuBCEECDOCDsBCDECBBBDCCDEEGDDECBDDDCCCDFFDEECDDECCGBBCBBCBBCOCBSCDBBCEECkBCEQCJDDBCCFICBEBCBBCCCBEEBCCBCBCEBDCCBDDIDDCBBEFBGLLBnFnFsBCCEEEBBBvBDBCdBCBBECBCWCBDBCGD1BvBBCgBCK0BCDMCBgDCyBlBBq6CqBBDCB5XFBjkCIBCvHvHERRzD0ECGGGC8CCBHBJFBLHBJHBJFBMGCJHBJNBzBBBNSSBPPBEEpL2B2Bs1CvBBCEEBGCHDDLiDCJCCFNNBkBBCGG0oesBCUaCoEMCE8BCLCCDICFFFCBBDSCMOCFCCDOCb9a9advCBi8UZBumBnBBpEjBB8EKBCOBCGBCBBk4ByBB+DVB75CfBhsVfB8BYBvyehBB", false)),
    M: () => new UnicodeRangeTable(decodeRanges("5cgBgBlgHAB", false)),
    Mn: () => new UnicodeRangeTable(decodeRanges("5cgBgBlgHAB", false)),
    Emoji: () => new UnicodeRangeTable(decodeRanges("8mJA", true)),
    Extended_Pictographic: () => new UnicodeRangeTable(decodeRanges("8mJA", true)),
    Lowercase: () => new UnicodeRangeTable(decodeRanges("hCZBmDWBCGBiBuBCEECDOCDuBCBECEBBCCCBCCBBBDDBCBBCCBEBBCBBCECBCCDCCBCCBBBCCCBEEIBBCBBCBBCOCDQCDBBCCCBBBC4BCIBBCBBDCCBCBCGCiJCCEJJHCCBBBCCCBCCBPBCIBkBJJCUCGDDCBBDyBBxBgBCK2BCBMCD+CCDlBBq6ClBBCGGzW1CB0kCHHBpBBDCBhK0ECKgDCKHBJFBLHBJHBJFBMGCJHBZHBJHBJHBJEBMEBMDBNEBMEBqJEEBHHuBPBUzZzZBYBx5BvBBxBCCBBBDGCBCBCDDJCBCgDCJCCFuqeuqeCqBCUaCoEMCE8BCLECBICFCCDCCEUCBDBCEBCOCBCBCCCBQCZs5Vs5VBYBmmBnBBpEjBB9EKBCOBCGBCBBr3ByBB+EVB75CfBhsVfBhCYBoyehBB", false)),
    Math: () => new UnicodeRangeTable(decodeRanges("ycGDCHHFMMDDDCHHFAB", false)),
    Uppercase: () => new UnicodeRangeTable(decodeRanges("hDZB7BqBqBBWBCHBCuBCEECDOCDsBCDECBBBDCCDEEGDDECBDDDCCCDFFDEECDDECCGBBCBBCBBCOCBSCDBBCEECkBCEQCJDDBCCFICBEBCBBCCCBEEBCCBCBCEBDCCBDDIDDCBBEFBGLLBnFnFsBCCEEEBBBvBDBCdBCBBECBCWCBDBCGD1BvBBCgBCK0BCDMCBgDCyBlBBq6CqBBDCB5XFBjkCIBCvHvHERRzD0ECGGGC8CCBHBJFBLHBJHBJFBMGCJHBJNBzBBBNSSBPPBEEpLiBiBBOBFsasaBYBn6BvBBCEEBGCHDDLiDCJCCFNNBkBBCGG0oesBCUaCoEMCE8BCLCCDICFFFCBBDSCMOCFCCDOCb9a9advCBi8UZBumBnBBpEjBB8EKBCOBCGBCBBk4ByBB+DVB75CfBhsVfB8BYBvyehBB", false))
  });
  static FOLD_SCRIPT = new LazyMap({
    Common: () => new UnicodeRangeTable(decodeRanges("8cgBgB", false)),
    Greek: () => new UnicodeRangeTable(decodeRanges("1FwUwU", false)),
    Inherited: () => new UnicodeRangeTable(decodeRanges("5cgBgBlgHAB", false))
  });
};
var Unicode = class Unicode2 {
  static MAX_RUNE = 1114111;
  static RUNE_ERROR = 65533;
  static isUnsearchable(r2) {
    return r2 === Unicode2.RUNE_ERROR || r2 >= Unicode2.MIN_HIGH_SURROGATE && r2 <= Unicode2.MAX_LOW_SURROGATE;
  }
  static MAX_ASCII = 127;
  static MAX_LATIN1 = 255;
  static MAX_BMP = 65535;
  static MIN_FOLD = 65;
  static MAX_FOLD = 125251;
  static MIN_HIGH_SURROGATE = 55296;
  static MAX_HIGH_SURROGATE = 56319;
  static MIN_LOW_SURROGATE = 56320;
  static MAX_LOW_SURROGATE = 57343;
  static MIN_SUPPLEMENTARY_CODE_POINT = 65536;
  static is32(ranges, r2) {
    let lo = 0;
    let hi = ranges.length;
    while (lo < hi) {
      const m = lo + Math.floor((hi - lo) / 2);
      const rlo = ranges.getLo(m);
      const rhi = ranges.getHi(m);
      if (rlo <= r2 && r2 <= rhi) {
        const stride = ranges.getStride(m);
        return (r2 - rlo) % stride === 0;
      }
      if (r2 < rlo) hi = m;
      else lo = m + 1;
    }
    return false;
  }
  static is(ranges, r2) {
    if (r2 <= Unicode2.MAX_LATIN1) {
      for (let i = 0; i < ranges.length; i++) {
        if (r2 > ranges.getHi(i)) continue;
        const rlo = ranges.getLo(i);
        if (r2 < rlo) return false;
        const stride = ranges.getStride(i);
        return (r2 - rlo) % stride === 0;
      }
      return false;
    }
    return ranges.length > 0 && r2 >= ranges.getLo(0) && Unicode2.is32(ranges, r2);
  }
  static isPrint(r2) {
    if (r2 <= Unicode2.MAX_LATIN1) return r2 >= 32 && r2 < Unicode2.MAX_ASCII || r2 >= 161 && r2 !== 173;
    return Unicode2.is(UnicodeTables.Print, r2);
  }
  static simpleFold(r2) {
    if (UnicodeTables.CASE_ORBIT.has(r2)) return UnicodeTables.CASE_ORBIT.get(r2);
    if (r2 <= Unicode2.MAX_ASCII) {
      const l = Codepoint.toLowerCase(r2);
      return l !== r2 ? l : Codepoint.toUpperCase(r2);
    }
    return r2;
  }
  static equalsIgnoreCase(r1, r2) {
    if (r1 === r2) return true;
    if (r1 < 0 || r2 < 0) return false;
    if (r1 <= Unicode2.MAX_ASCII && r2 <= Unicode2.MAX_ASCII) {
      if (65 <= r1 && r1 <= 90) r1 |= 32;
      if (65 <= r2 && r2 <= 90) r2 |= 32;
      return r1 === r2;
    }
    for (let r3 = Unicode2.simpleFold(r1); r3 !== r1; r3 = Unicode2.simpleFold(r3)) if (r3 === r2) return true;
    return false;
  }
};
var RE2JSException = class extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSException";
  }
};
var RE2JSSyntaxException = class extends RE2JSException {
  /**
  * @param {string} error
  * @param {string|null} [input=null]
  */
  constructor(error, input = null) {
    let message = `error parsing regexp: ${error}`;
    if (input) message += `: \`${input}\``;
    super(message);
    this.name = "RE2JSSyntaxException";
    this.message = message;
    this.error = error;
    this.input = input;
  }
  /**
  * Retrieves the description of the error.
  * @returns {string}
  */
  getDescription() {
    return this.error;
  }
  /**
  * Retrieves the erroneous regular-expression pattern.
  * @returns {string|null}
  */
  getPattern() {
    return this.input;
  }
};
var RE2JSCompileException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSCompileException";
  }
};
var RE2JSGroupException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSGroupException";
  }
};
var RE2JSFlagsException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSFlagsException";
  }
};
var RE2JSInternalException = class extends RE2JSException {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "RE2JSInternalException";
  }
};
var FAST_PATH_TABLE_SIZE = 256;
var WORD_RUNE_TABLE = new Uint8Array(FAST_PATH_TABLE_SIZE);
for (let i = 0; i < FAST_PATH_TABLE_SIZE; i++) WORD_RUNE_TABLE[i] = 97 <= i && i <= 122 || 65 <= i && i <= 90 || 48 <= i && i <= 57 || i === 95 ? 1 : 0;
var cachedNativeEncoder = null;
var cachedNativeDecoder = null;
var Utils = class Utils2 {
  static METACHARACTERS = "\\.+*?()|[]{}^$";
  static EMPTY_BEGIN_LINE = 1;
  static EMPTY_END_LINE = 2;
  static EMPTY_BEGIN_TEXT = 4;
  static EMPTY_END_TEXT = 8;
  static EMPTY_WORD_BOUNDARY = 16;
  static EMPTY_NO_WORD_BOUNDARY = 32;
  static EMPTY_ALL = -1;
  static emptyInts() {
    return [];
  }
  static isString(value2) {
    return typeof value2 === "string" || Object.prototype.toString.call(value2) === "[object String]";
  }
  static typeName(value2) {
    if (value2 === null || typeof value2 !== "object" && typeof value2 !== "function") return value2 === null ? "null" : typeof value2;
    return Object.prototype.toString.call(value2).slice(8, -1);
  }
  static checkPattern(pattern) {
    if (!Utils2.isString(pattern)) throw new TypeError(`The pattern must be a string, not ${Utils2.typeName(pattern)} (RE2JS.translateRegExp() converts a RegExp)`);
  }
  static checkInput(input) {
    if (!Utils2.isString(input) && !Utils2.isByteArray(input)) throw new TypeError(`The input must be a string or a byte array (Uint8Array or number[]), not ${Utils2.typeName(input)}`);
  }
  static checkFlags(flags) {
    const known = PublicFlags.MULTILINE | PublicFlags.DOTALL | PublicFlags.CASE_INSENSITIVE | PublicFlags.DISABLE_UNICODE_GROUPS | PublicFlags.LONGEST_MATCH | PublicFlags.LOOKBEHINDS;
    if (!Number.isInteger(flags) || (flags & ~known) !== 0) throw new RE2JSFlagsException("Flags should only be a combination of MULTILINE, DOTALL, CASE_INSENSITIVE, DISABLE_UNICODE_GROUPS, LONGEST_MATCH, LOOKBEHINDS");
  }
  static isByteArray(input) {
    return Array.isArray(input) || Object.prototype.toString.call(input) === "[object Uint8Array]";
  }
  static isalnum(c) {
    return Codepoint.CODES["0"] <= c && c <= Codepoint.CODES["9"] || Codepoint.CODES["a"] <= c && c <= Codepoint.CODES["z"] || Codepoint.CODES["A"] <= c && c <= Codepoint.CODES["Z"];
  }
  static unhex(c) {
    if (Codepoint.CODES["0"] <= c && c <= Codepoint.CODES["9"]) return c - Codepoint.CODES["0"];
    if (Codepoint.CODES["a"] <= c && c <= Codepoint.CODES["f"]) return c - Codepoint.CODES["a"] + 10;
    if (Codepoint.CODES["A"] <= c && c <= Codepoint.CODES["F"]) return c - Codepoint.CODES["A"] + 10;
    return -1;
  }
  static escapeRune(rune) {
    let out = "";
    if (Unicode.isPrint(rune)) {
      if (Utils2.METACHARACTERS.indexOf(String.fromCodePoint(rune)) >= 0) out += "\\";
      out += String.fromCodePoint(rune);
    } else switch (rune) {
      case Codepoint.CODES['"']:
        out += '\\"';
        break;
      case Codepoint.CODES["\\"]:
        out += "\\\\";
        break;
      case Codepoint.CODES["	"]:
        out += "\\t";
        break;
      case Codepoint.CODES["\n"]:
        out += "\\n";
        break;
      case Codepoint.CODES["\r"]:
        out += "\\r";
        break;
      case Codepoint.CODES["\b"]:
        out += "\\b";
        break;
      case Codepoint.CODES["\f"]:
        out += "\\f";
        break;
      default: {
        let s = rune.toString(16);
        if (rune < 256) {
          out += "\\x";
          if (s.length === 1) out += "0";
          out += s;
        } else out += `\\x{${s}}`;
        break;
      }
    }
    return out;
  }
  static stringToRunes(str) {
    const string = String(str);
    const runes = [];
    let i = 0;
    while (i < string.length) {
      const cp = string.codePointAt(i);
      runes.push(cp);
      i += cp > Unicode.MAX_BMP ? 2 : 1;
    }
    return new Int32Array(runes);
  }
  static runeToString(r2) {
    return String.fromCodePoint(r2);
  }
  static isWordRune(r2) {
    return r2 < FAST_PATH_TABLE_SIZE ? WORD_RUNE_TABLE[r2] === 1 : false;
  }
  static emptyOpContext(r1, r2) {
    let op = 0;
    if (r1 < 0) op |= Utils2.EMPTY_BEGIN_TEXT | Utils2.EMPTY_BEGIN_LINE;
    if (r1 === 10) op |= Utils2.EMPTY_BEGIN_LINE;
    if (r2 < 0) op |= Utils2.EMPTY_END_TEXT | Utils2.EMPTY_END_LINE;
    if (r2 === 10) op |= Utils2.EMPTY_END_LINE;
    if (Utils2.isWordRune(r1) !== Utils2.isWordRune(r2)) op |= Utils2.EMPTY_WORD_BOUNDARY;
    else op |= Utils2.EMPTY_NO_WORD_BOUNDARY;
    return op;
  }
  /**
  * Returns a string that quotes all regular expression metacharacters inside the argument text;
  * the returned string is a regular expression matching the literal text. For example,
  * {@code quoteMeta("[foo]").equals("\\[foo\\]")}.
  * @param {string} str
  * @returns {string}
  */
  static quoteMeta(str) {
    return str.split("").map((s) => {
      if (Utils2.METACHARACTERS.indexOf(s) >= 0) return `\\${s}`;
      return s;
    }).join("");
  }
  static charCount(codePoint) {
    return codePoint > Unicode.MAX_BMP ? 2 : 1;
  }
  /**
  * High-speed conversion from TypedArrays to standard JS Arrays.
  * Bypasses the expensive Symbol.iterator overhead of Array.from()
  */
  static toArray(typedArray) {
    const len = typedArray.length;
    const res = new Array(len);
    for (let i = 0; i < len; i++) res[i] = typedArray[i];
    return res;
  }
  static stringToUtf8ByteArray(str) {
    if (globalThis.TextEncoder) {
      if (!cachedNativeEncoder) cachedNativeEncoder = new TextEncoder();
      return cachedNativeEncoder.encode(str);
    } else {
      let out = [], p = 0;
      for (let i = 0; i < str.length; i++) {
        let c = str.charCodeAt(i);
        if (c < 128) out[p++] = c;
        else if (c < 2048) {
          out[p++] = c >> 6 | 192;
          out[p++] = c & 63 | 128;
        } else if ((c & 64512) === Unicode.MIN_HIGH_SURROGATE && i + 1 < str.length && (str.charCodeAt(i + 1) & 64512) === Unicode.MIN_LOW_SURROGATE) {
          c = Unicode.MIN_SUPPLEMENTARY_CODE_POINT + ((c & 1023) << 10) + (str.charCodeAt(++i) & 1023);
          out[p++] = c >> 18 | 240;
          out[p++] = c >> 12 & 63 | 128;
          out[p++] = c >> 6 & 63 | 128;
          out[p++] = c & 63 | 128;
        } else {
          out[p++] = c >> 12 | 224;
          out[p++] = c >> 6 & 63 | 128;
          out[p++] = c & 63 | 128;
        }
      }
      return out;
    }
  }
  static utf8ByteArrayToString(bytes) {
    if (globalThis.TextDecoder) {
      if (!cachedNativeDecoder) cachedNativeDecoder = new TextDecoder("utf-8");
      const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
      return cachedNativeDecoder.decode(view);
    } else {
      let out = [], pos = 0, c = 0;
      while (pos < bytes.length) {
        let c1 = bytes[pos++];
        if (c1 < 128) out[c++] = String.fromCharCode(c1);
        else if (c1 > 191 && c1 < 224) {
          let c2 = bytes[pos++];
          out[c++] = String.fromCharCode((c1 & 31) << 6 | c2 & 63);
        } else if (c1 > 239 && c1 < 365) {
          let c2 = bytes[pos++];
          let c3 = bytes[pos++];
          let c4 = bytes[pos++];
          let u = ((c1 & 7) << 18 | (c2 & 63) << 12 | (c3 & 63) << 6 | c4 & 63) - Unicode.MIN_SUPPLEMENTARY_CODE_POINT;
          out[c++] = String.fromCharCode(Unicode.MIN_HIGH_SURROGATE + (u >> 10));
          out[c++] = String.fromCharCode(Unicode.MIN_LOW_SURROGATE + (u & 1023));
        } else {
          let c2 = bytes[pos++];
          let c3 = bytes[pos++];
          out[c++] = String.fromCharCode((c1 & 15) << 12 | (c2 & 63) << 6 | c3 & 63);
        }
      }
      return out.join("");
    }
  }
};
var createEnum = (values = [], initNum = 0) => {
  const enumObject = /* @__PURE__ */ Object.create(null);
  for (let i = 0; i < values.length; i++) {
    const val = values[i];
    const keyVal = initNum + i;
    enumObject[val] = keyVal;
    enumObject[keyVal] = val;
  }
  return Object.freeze(enumObject);
};
var MatcherInputBase = class MatcherInputBase2 {
  static Encoding = createEnum(["UTF_16", "UTF_8"]);
  getEncoding() {
    throw Error("not implemented");
  }
  /** @returns {string} */
  asCharSequence() {
    throw Error("not implemented");
  }
  /** @returns {Uint8Array|number[]|null} */
  asBytes() {
    throw Error("not implemented");
  }
  /** @returns {number} */
  length() {
    throw Error("not implemented");
  }
  /**
  *
  * @returns {boolean}
  */
  isUTF8Encoding() {
    return this.getEncoding() === MatcherInputBase2.Encoding.UTF_8;
  }
  /**
  *
  * @returns {boolean}
  */
  isUTF16Encoding() {
    return this.getEncoding() === MatcherInputBase2.Encoding.UTF_16;
  }
};
var Utf8MatcherInput = class extends MatcherInputBase {
  /** @param {Uint8Array|number[]|null} bytes */
  constructor(bytes = null) {
    super();
    this.bytes = bytes;
  }
  getEncoding() {
    return MatcherInputBase.Encoding.UTF_8;
  }
  /**
  *
  * @returns {string}
  */
  asCharSequence() {
    return Utils.utf8ByteArrayToString(this.bytes);
  }
  /**
  *
  * @returns {Uint8Array|number[]|null}
  */
  asBytes() {
    return this.bytes;
  }
  /**
  *
  * @returns {number}
  */
  length() {
    return this.bytes.length;
  }
};
var Utf16MatcherInput = class extends MatcherInputBase {
  /** @param {string|null} charSequence */
  constructor(charSequence = null) {
    super();
    this.charSequence = charSequence;
  }
  getEncoding() {
    return MatcherInputBase.Encoding.UTF_16;
  }
  /**
  *
  * @returns {string}
  */
  asCharSequence() {
    return this.charSequence;
  }
  /**
  *
  * @returns {number[]}
  */
  asBytes() {
    return Utils.stringToUtf8ByteArray(this.charSequence.toString());
  }
  /**
  *
  * @returns {number}
  */
  length() {
    return this.charSequence.length;
  }
};
var MatcherInput = class {
  /**
  * Return the MatcherInput for UTF_16 encoding.
  * @returns {Utf16MatcherInput}
  */
  static utf16(charSequence) {
    Utils.checkInput(charSequence);
    return new Utf16MatcherInput(charSequence);
  }
  /**
  * Return the MatcherInput for UTF_8 encoding.
  * @returns {Utf8MatcherInput}
  */
  static utf8(input) {
    if (Utils.isByteArray(input)) return new Utf8MatcherInput(input);
    return new Utf8MatcherInput(Utils.stringToUtf8ByteArray(input));
  }
};
var MachineInputBase = class {
  static EOF() {
    return -8;
  }
  constructor() {
    this.start = 0;
    this.end = 0;
  }
  canCheckPrefix() {
    return true;
  }
  endPos() {
    return this.end - this.start;
  }
  hasString() {
    return false;
  }
  hasAnyString() {
    return false;
  }
  prefixLength() {
    return 0;
  }
};
var MachineUTF8Input = class MachineUTF8Input2 extends MachineInputBase {
  static RUNE_ERROR_STEP = Unicode.RUNE_ERROR << 3 | 1;
  constructor(bytes, start = 0, end = bytes.length) {
    super();
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }
  hasString(prefilter, pos) {
    const target = prefilter.bytes;
    if (target.length === 0) return true;
    const idx = this.indexOf(this.bytes, target, this.start + pos);
    return idx !== -1 && idx <= this.end - target.length;
  }
  hasAnyString(prefilter, pos) {
    return prefilter.automaton8().searchUTF8(this.bytes, this.start + pos, this.end);
  }
  step(pos) {
    pos += this.start;
    if (pos >= this.end) return MachineInputBase.EOF();
    const c = this.bytes[pos] & 255;
    if (c < 128) return c << 3 | 1;
    let size2;
    let rune;
    let lo = 128;
    let hi = 191;
    if (c >= 194 && c <= 223) {
      size2 = 2;
      rune = c & 31;
    } else if (c >= 224 && c <= 239) {
      size2 = 3;
      rune = c & 15;
      if (c === 224) lo = 160;
      else if (c === 237) hi = 159;
    } else if (c >= 240 && c <= 244) {
      size2 = 4;
      rune = c & 7;
      if (c === 240) lo = 144;
      else if (c === 244) hi = 143;
    } else return MachineUTF8Input2.RUNE_ERROR_STEP;
    if (pos + size2 > this.end) return MachineUTF8Input2.RUNE_ERROR_STEP;
    const c1 = this.bytes[pos + 1] & 255;
    if (c1 < lo || c1 > hi) return MachineUTF8Input2.RUNE_ERROR_STEP;
    rune = rune << 6 | c1 & 63;
    if (size2 > 2) {
      const c2 = this.bytes[pos + 2] & 255;
      if ((c2 & 192) !== 128) return MachineUTF8Input2.RUNE_ERROR_STEP;
      rune = rune << 6 | c2 & 63;
      if (size2 > 3) {
        const c3 = this.bytes[pos + 3] & 255;
        if ((c3 & 192) !== 128) return MachineUTF8Input2.RUNE_ERROR_STEP;
        rune = rune << 6 | c3 & 63;
      }
    }
    return rune << 3 | size2;
  }
  index(re2, pos) {
    pos += this.start;
    const i = this.indexOf(this.bytes, re2.prefixUTF8, pos);
    return i < 0 ? i : i - pos;
  }
  context(pos) {
    pos += this.start;
    let r1 = -1;
    if (pos > this.start && pos <= this.end) {
      let start = pos - 1;
      r1 = this.bytes[start--];
      if (r1 >= 128) {
        let lim = pos - 4;
        if (lim < this.start) lim = this.start;
        while (start >= lim && (this.bytes[start] & 192) === 128) start--;
        if (start < this.start) start = this.start;
        const r3 = this.step(start - this.start);
        r1 = start + (r3 & 7) === pos ? r3 >> 3 : Unicode.RUNE_ERROR;
      }
    }
    const r2 = pos < this.end ? this.step(pos - this.start) >> 3 : -1;
    return Utils.emptyOpContext(r1, r2);
  }
  indexOf(source, target, fromIndex = 0) {
    let targetLength = target.length;
    if (targetLength === 0) return fromIndex <= this.end ? fromIndex : -1;
    const firstByte2 = target[0];
    let limit = this.end - targetLength;
    const hasNativeIndexOf = typeof source.indexOf === "function";
    let i = fromIndex;
    while (i <= limit) {
      if (hasNativeIndexOf) {
        i = source.indexOf(firstByte2, i);
        if (i === -1 || i > limit) return -1;
      } else {
        while (i <= limit && source[i] !== firstByte2) i++;
        if (i > limit) return -1;
      }
      let match = true;
      for (let j = 1; j < targetLength; j++) if (source[i + j] !== target[j]) {
        match = false;
        break;
      }
      if (match) return i;
      i++;
    }
    return -1;
  }
  prefixLength(re2) {
    return re2.prefixUTF8.length;
  }
};
var MachineUTF16Input = class extends MachineInputBase {
  constructor(charSequence, start = 0, end = charSequence.length) {
    super();
    this.charSequence = charSequence;
    this.start = start;
    this.end = end;
  }
  hasString(prefilter, pos) {
    const idx = this.charSequence.indexOf(prefilter.str, this.start + pos);
    return idx !== -1 && idx <= this.end - prefilter.str.length;
  }
  hasAnyString(prefilter, pos) {
    return prefilter.automaton16().searchUTF16(this.charSequence, this.start + pos, this.end);
  }
  step(pos) {
    pos += this.start;
    if (pos >= this.end) return MachineInputBase.EOF();
    const c1 = this.charSequence.charCodeAt(pos);
    if (c1 < Unicode.MIN_HIGH_SURROGATE || c1 > Unicode.MAX_HIGH_SURROGATE || pos + 1 >= this.end) return c1 << 3 | 1;
    const c2 = this.charSequence.charCodeAt(pos + 1);
    if (c2 >= Unicode.MIN_LOW_SURROGATE && c2 <= Unicode.MAX_LOW_SURROGATE) return (c1 - Unicode.MIN_HIGH_SURROGATE) * 1024 + (c2 - Unicode.MIN_LOW_SURROGATE) + Unicode.MIN_SUPPLEMENTARY_CODE_POINT << 3 | 2;
    return c1 << 3 | 1;
  }
  index(re2, pos) {
    pos += this.start;
    const i = this.charSequence.indexOf(re2.prefix, pos);
    if (i < 0 || i > this.end - re2.prefix.length) return -1;
    return i - pos;
  }
  context(pos) {
    pos += this.start;
    const r1 = pos > this.start && pos <= this.end ? this.charSequence.charCodeAt(pos - 1) : -1;
    const r2 = pos < this.end ? this.charSequence.charCodeAt(pos) : -1;
    return Utils.emptyOpContext(r1, r2);
  }
  prefixLength(re2) {
    return re2.prefix.length;
  }
};
var MachineInput = class {
  static fromUTF8(bytes, start = 0, end = bytes.length) {
    return new MachineUTF8Input(bytes, start, end);
  }
  static fromUTF16(charSequence, start = 0, end = void 0) {
    Utils.checkInput(charSequence);
    return new MachineUTF16Input(charSequence, start, end ?? charSequence.length);
  }
};
var Matcher = class Matcher2 {
  /**
  * V8 and WebKit have historical hard limits on the number of arguments
  * that can be passed to a function. We cap replacer arguments to prevent
  * Call Stack Overflow (DoS) vulnerabilities on massive ASTs.
  */
  static MAX_REPLACER_ARGS = 65535;
  /**
  * Quotes '\' and '$' in {@code s}, so that the returned string could be used in
  * {@link #appendReplacement} as a literal replacement of {@code s}.
  *
  * @param {string} str the string to be quoted
  * @param {boolean} [javaMode=false] whether the replacement will be used in javaMode
  * @returns {string} the quoted string
  */
  static quoteReplacement(str, javaMode = false) {
    if (javaMode) {
      if (str.indexOf("\\") < 0 && str.indexOf("$") < 0) return str;
      return str.split("").map((s) => {
        const c = s.codePointAt(0);
        if (c === Codepoint.CODES["\\"] || c === Codepoint.CODES["$"]) return `\\${s}`;
        return s;
      }).join("");
    }
    if (str.indexOf("$") < 0) return str;
    return str.split("").map((s) => {
      if (s.codePointAt(0) === Codepoint.CODES["$"]) return "$$";
      return s;
    }).join("");
  }
  /**
  *
  * @param {import('./index.js').RE2JS} pattern
  * @param {string|number[]|Uint8Array|MatcherInputBase} input
  */
  constructor(pattern, input) {
    if (pattern === null) throw new Error("pattern is null");
    this.patternInput = pattern;
    const re2 = this.patternInput.re2();
    this.patternGroupCount = re2.numberOfCapturingGroups();
    this.groups = [];
    this.namedGroups = re2.namedGroups;
    this.hasNamedGroups = Object.keys(this.namedGroups).length > 0;
    this.numberOfInstructions = re2.numberOfInstructions();
    this.lookbehindState = null;
    if (input instanceof MatcherInputBase) this.resetMatcherInput(input);
    else if (Utils.isByteArray(input)) this.resetMatcherInput(MatcherInput.utf8(input));
    else this.resetMatcherInput(MatcherInput.utf16(input));
  }
  /**
  * Returns the {@code RE2JS} associated with this {@code Matcher}.
  * @returns {import('./index.js').RE2JS}
  */
  pattern() {
    return this.patternInput;
  }
  /**
  * Resets the {@code Matcher}, rewinding input and discarding any match information.
  *
  * @returns {Matcher} the {@code Matcher} itself, for chained method calls
  */
  reset() {
    this.matcherInputLength = this.matcherInput.length();
    this.appendPos = 0;
    this.hasMatch = false;
    this.hasGroups = false;
    this.anchorFlag = 0;
    return this;
  }
  /**
  * Resets the {@code Matcher} and changes the input.
  * @param {string|number[]|Uint8Array|MatcherInputBase} input
  * @returns {Matcher} the {@code Matcher} itself, for chained method calls
  */
  resetMatcherInput(input) {
    if (input === null) throw new Error("input is null");
    if (!(input instanceof MatcherInputBase)) {
      if (Utils.isByteArray(input)) input = MatcherInput.utf8(input);
      else input = MatcherInput.utf16(input);
    }
    this.matcherInput = input;
    if (this.lookbehindState !== null) this.lookbehindState.reset();
    else this.lookbehindState = this.patternInput.re2().createLookbehindState();
    this.reset();
    return this;
  }
  /**
  * Returns the start of the named group of the most recent match, or -1 if the group was not
  * matched.
  * @param {string|number} [group=0]
  * @returns {number}
  */
  start(group = 0) {
    if (typeof group === "string") {
      const groupInt = this.namedGroups[group];
      if (!Number.isFinite(groupInt)) throw new RE2JSGroupException(`group '${group}' not found`);
      group = groupInt;
    }
    this.loadGroup(group);
    return this.groups[2 * group];
  }
  /**
  * Returns the end of the named group of the most recent match, or -1 if the group was not
  * matched.
  * @param {string|number} [group=0]
  * @returns {number}
  */
  end(group = 0) {
    if (typeof group === "string") {
      const groupInt = this.namedGroups[group];
      if (!Number.isFinite(groupInt)) throw new RE2JSGroupException(`group '${group}' not found`);
      group = groupInt;
    }
    this.loadGroup(group);
    return this.groups[2 * group + 1];
  }
  /**
  * Returns the program size of this pattern.
  *
  * <p>
  * Similar to the C++ implementation, the program size is a very approximate measure of a regexp's
  * "cost". Larger numbers are more expensive than smaller numbers.
  * </p>
  *
  * @returns {number} the program size of this pattern
  */
  programSize() {
    return this.numberOfInstructions;
  }
  /**
  * Returns the named group of the most recent match, or {@code null} if the group was not matched.
  * @param {string|number} [group=0]
  * @returns {string|null}
  */
  group(group = 0) {
    if (typeof group === "string") {
      const groupInt = this.namedGroups[group];
      if (!Number.isFinite(groupInt)) throw new RE2JSGroupException(`group '${group}' not found`);
      group = groupInt;
    }
    const start = this.start(group);
    const end = this.end(group);
    if (start < 0 && end < 0) return null;
    return this.substring(start, end);
  }
  /**
  * Returns a dictionary map of all named capturing groups and their matched values.
  * If a group was not matched, its value will be `null`.
  * @returns {Record<string, string|null>}
  */
  getNamedGroups() {
    if (!this.hasMatch) throw new RE2JSGroupException("perhaps no match attempted");
    const result = /* @__PURE__ */ Object.create(null);
    for (const name of Object.keys(this.namedGroups)) result[name] = this.group(name);
    return result;
  }
  /**
  * Returns the number of subgroups in this pattern.
  *
  * @returns {number} the number of subgroups; the overall match (group 0) does not count
  */
  groupCount() {
    return this.patternGroupCount;
  }
  /**
  * Helper: finds subgroup information if needed for group.
  * @param {number} group
  * @private
  */
  loadGroup(group) {
    if (!Number.isInteger(group) || group < 0 || group > this.patternGroupCount) throw new RE2JSGroupException(`Group index out of bounds: ${group}`);
    if (!this.hasMatch) throw new RE2JSGroupException("perhaps no match attempted");
    if (group === 0 || this.hasGroups) return;
    const end = this.matcherInputLength;
    const res = this.patternInput.re2().matchMachineInput(this.matcherInput, this.groups[0], end, this.anchorFlag, 1 + this.patternGroupCount, this.lookbehindState);
    if (!res[0]) throw new RE2JSGroupException("inconsistency in matching group data");
    this.groups = res[1];
    this.hasGroups = true;
  }
  /**
  * Matches the entire input against the pattern (anchored start and end). If there is a match,
  * {@code matches} sets the match state to describe it.
  *
  * @returns {boolean} true if the entire input matches the pattern
  */
  matches() {
    return this.genMatch(0, RE2Flags.ANCHOR_BOTH);
  }
  /**
  * Matches the beginning of input against the pattern (anchored start). If there is a match,
  * {@code lookingAt} sets the match state to describe it.
  *
  * @returns {boolean} true if the beginning of the input matches the pattern
  */
  lookingAt() {
    return this.genMatch(0, RE2Flags.ANCHOR_START);
  }
  /**
  * Matches the input against the pattern (unanchored), starting at a specified position. If there
  * is a match, {@code find} sets the match state to describe it.
  *
  * @param {number|null} [start=null] the input position where the search begins
  * @returns {boolean} if it finds a match
  * @throws IndexOutOfBoundsException if start is not a valid input position
  */
  find(start = null) {
    if (start !== null) {
      if (!Number.isInteger(start) || start < 0 || start > this.matcherInputLength) throw new RE2JSGroupException(`start index out of bounds: ${start}`);
      this.reset();
      return this.genMatch(start, 0);
    }
    start = 0;
    if (this.hasMatch) {
      start = this.groups[1];
      if (this.groups[0] === this.groups[1]) {
        const r2 = (this.matcherInput.isUTF16Encoding() ? MachineInput.fromUTF16(this.matcherInput.asCharSequence(), 0, this.matcherInputLength) : MachineInput.fromUTF8(this.matcherInput.asBytes(), 0, this.matcherInputLength)).step(start);
        if (r2 < 0) start++;
        else start += r2 & 7;
      }
    }
    return this.genMatch(start, RE2Flags.UNANCHORED);
  }
  /**
  * Helper: does match starting at start, with RE2 anchor flag.
  * @param {number} startByte
  * @param {number} anchor
  * @returns {boolean}
  * @private
  */
  genMatch(startByte, anchor) {
    const res = this.patternInput.re2().matchMachineInput(this.matcherInput, startByte, this.matcherInputLength, anchor, 1, this.lookbehindState);
    if (!res[0]) {
      this.hasMatch = false;
      return false;
    }
    this.groups = res[1];
    this.hasMatch = true;
    this.hasGroups = this.patternGroupCount === 0;
    this.anchorFlag = anchor;
    return true;
  }
  /**
  * Helper: return substring for [start, end).
  * @param {number} start
  * @param {number} end
  * @returns {string}
  */
  substring(start, end) {
    if (this.matcherInput.isUTF8Encoding()) return Utils.utf8ByteArrayToString(this.matcherInput.asBytes().slice(start, end));
    return this.matcherInput.asCharSequence().substring(start, end).toString();
  }
  /**
  * Helper for Pattern: return input length.
  * @returns {number}
  */
  inputLength() {
    return this.matcherInputLength;
  }
  /**
  * Appends to result two strings: the text from the append position up to the beginning of the
  * most recent match, and then the replacement with submatch groups substituted for references to
  * them. It advances the append position to where the most recent match ended.
  *
  * By default the replacement is expanded as by String.prototype.replace (see
  * appendReplacementInternalJs). In Java mode it follows re2j / java.util.regex: $n takes as
  * many digits as still form a valid group number, ${name} is a named group, and a backslash
  * escapes the next character (so "\\$" in a JS string literal inserts a literal $).
  *
  * @param {string} replacement the replacement string
  * @param {boolean} [javaMode=false] activate java mode (different behaviour for capture groups and special characters)
  * @returns {string}
  * @throws IllegalStateException if there was no most recent match
  * @throws IndexOutOfBoundsException in Java mode, if replacement refers to an invalid group
  * @private
  */
  appendReplacement(replacement, javaMode = false) {
    let res = "";
    const s = this.start();
    const e = this.end();
    if (this.appendPos < s) res += this.substring(this.appendPos, s);
    this.appendPos = e;
    res += javaMode ? this.appendReplacementInternalJava(replacement) : this.appendReplacementInternalJs(replacement);
    return res;
  }
  /**
  * @param {string} replacement - the replacement string
  * @returns {string}
  * @private
  */
  appendReplacementInternalJava(replacement) {
    let res = "";
    let last = 0;
    const m = replacement.length;
    let i = 0;
    while (i < m) {
      const cCode = replacement.codePointAt(i);
      if (cCode === Codepoint.CODES["\\"]) {
        if (last < i) res += replacement.substring(last, i);
        i++;
        if (i >= m) throw new RE2JSGroupException("character to be escaped is missing");
        last = i;
        i++;
        continue;
      }
      if (cCode === Codepoint.CODES["$"]) {
        if (last < i) res += replacement.substring(last, i);
        if (i + 1 >= m) throw new RE2JSGroupException("Illegal group reference: group index is missing");
        const nextCode = replacement.codePointAt(i + 1);
        if (Codepoint.CODES["0"] <= nextCode && nextCode <= Codepoint.CODES["9"]) {
          let n = nextCode - Codepoint.CODES["0"];
          let j = i + 2;
          for (; j < m; j++) {
            const digit = replacement.codePointAt(j);
            if (digit < Codepoint.CODES["0"] || digit > Codepoint.CODES["9"] || n * 10 + digit - Codepoint.CODES["0"] > this.patternGroupCount) break;
            n = n * 10 + digit - Codepoint.CODES["0"];
          }
          if (n > this.patternGroupCount) throw new RE2JSGroupException(`n > number of groups: ${n}`);
          const group = this.group(n);
          if (group !== null) res += group;
          i = j;
          last = i;
        } else if (nextCode === Codepoint.CODES["{"]) {
          let j = i + 2;
          while (j < m && replacement.codePointAt(j) !== Codepoint.CODES["}"]) j++;
          if (j >= m) throw new RE2JSGroupException("named capture group is missing trailing '}'");
          const groupName = replacement.substring(i + 2, j);
          const groupVal = this.group(groupName);
          if (groupVal !== null) res += groupVal;
          i = j + 1;
          last = i;
        } else throw new RE2JSGroupException("Illegal group reference");
        continue;
      }
      i++;
    }
    if (last < m) res += replacement.substring(last, m);
    return res;
  }
  /**
  * Expands |replacement| for the current match by the rules of String.prototype.replace
  * (ECMAScript GetSubstitution): $$ is "$", $& the match, $` the text before it, $' the text
  * after it, $n and $nn a group (two digits only when they form a valid group number, so with
  * one group "$10" is group 1 then "0"; an unmatched group is empty), and $<name> a named group
  * (empty when no such group), only when the pattern has named groups. Anything else, such as
  * "$0" or "$<" without a closing ">", is kept as is.
  * @param {string} replacement - the replacement string
  * @returns {string}
  * @private
  */
  appendReplacementInternalJs(replacement) {
    const isDigit2 = (c) => c >= 48 && c <= 57;
    const groupCount = this.patternGroupCount;
    let res = "";
    let i = 0;
    while (i < replacement.length) {
      const dollar = replacement.indexOf("$", i);
      if (dollar < 0) break;
      res += replacement.substring(i, dollar);
      i = dollar;
      const c = replacement.charCodeAt(i + 1);
      if (c === Codepoint.CODES["$"]) {
        res += "$";
        i += 2;
      } else if (c === Codepoint.CODES["&"]) {
        res += this.group(0);
        i += 2;
      } else if (c === Codepoint.CODES["`"]) {
        res += this.substring(0, this.start(0));
        i += 2;
      } else if (c === Codepoint.CODES["'"]) {
        res += this.substring(this.end(0), this.matcherInputLength);
        i += 2;
      } else if (isDigit2(c)) {
        let digits = 1;
        let index2 = c - 48;
        const c2 = replacement.charCodeAt(i + 2);
        if (isDigit2(c2) && index2 * 10 + c2 - 48 <= groupCount) {
          digits = 2;
          index2 = index2 * 10 + c2 - 48;
        }
        if (index2 >= 1 && index2 <= groupCount) {
          const group = this.group(index2);
          if (group !== null) res += group;
        } else res += replacement.substring(i, i + 1 + digits);
        i += 1 + digits;
      } else if (c === Codepoint.CODES["<"] && this.hasNamedGroups) {
        const gt = replacement.indexOf(">", i + 2);
        if (gt < 0) {
          res += "$<";
          i += 2;
        } else {
          const name = replacement.substring(i + 2, gt);
          if (Object.hasOwn(this.namedGroups, name)) {
            const group = this.group(name);
            if (group !== null) res += group;
          }
          i = gt + 1;
        }
      } else {
        res += "$";
        i += 1;
      }
    }
    return res + replacement.substring(i);
  }
  /**
  * Return the substring of the input from the append position to the end of the
  * input.
  * @returns {string}
  */
  appendTail() {
    return this.substring(this.appendPos, this.matcherInputLength);
  }
  /**
  * Returns the input with all matches replaced by {@code replacement}, interpreted as for
  * {@code appendReplacement}.
  *
  * @param {string|((...args: any[]) => string)} replacement - the replacement string or a replacer function
  * @param {boolean} [javaMode=false] - activate java mode (different behaviour for capture groups and special characters)
  * @returns {string} the input string with the matches replaced
  * @throws IndexOutOfBoundsException if replacement refers to an invalid group and javaMode is true
  */
  replaceAll(replacement, javaMode = false) {
    return this.replace(replacement, true, javaMode);
  }
  /**
  * Returns the input with the first match replaced by {@code replacement}, interpreted as for
  * {@code appendReplacement}.
  *
  * @param {string|((...args: any[]) => string)} replacement - the replacement string or a replacer function
  * @param {boolean} [javaMode=false] - activate java mode (different behaviour for capture groups and special characters)
  * @returns {string} the input string with the first match replaced
  * @throws IndexOutOfBoundsException if replacement refers to an invalid group and javaMode is true
  */
  replaceFirst(replacement, javaMode = false) {
    return this.replace(replacement, false, javaMode);
  }
  /**
  * Helper: replaceAll/replaceFirst hybrid.
  * @param {string|((...args: any[]) => string)} replacement - the replacement string or a replacer function
  * @param {boolean} [all=true] - replace all matches
  * @param {boolean} [javaMode=false] - activate java mode (different behaviour for capture groups and special characters)
  * @returns {string}
  * @private
  */
  replace(replacement, all2 = true, javaMode = false) {
    let res = "";
    this.reset();
    const isFunc = typeof replacement === "function";
    let originalInput = null;
    if (isFunc) {
      if (this.groupCount() >= Matcher2.MAX_REPLACER_ARGS) throw new RE2JSGroupException("Too many capture groups to safely invoke replacer function");
      originalInput = this.matcherInput.isUTF8Encoding() ? this.matcherInput.asBytes() : this.matcherInput.asCharSequence();
    }
    while (this.find()) {
      res += isFunc ? this.appendReplacementFunc(replacement, originalInput) : this.appendReplacement(replacement, javaMode);
      if (!all2) break;
    }
    res += this.appendTail();
    return res;
  }
  /**
  * Evaluates a replacer function for the current match and appends the result,
  * along with any un-matched preceding text, advancing the append position.
  * @param {Function} replacer - the replacer function
  * @param {string|Uint8Array|number[]} originalInput - the cached original input reference
  * @returns {string} the evaluated string to append
  * @private
  */
  appendReplacementFunc(replacer, originalInput) {
    let res = "";
    const s = this.start();
    const e = this.end();
    if (this.appendPos < s) res += this.substring(this.appendPos, s);
    this.appendPos = e;
    const args = this.matchArray();
    args.push(s, originalInput);
    if (this.hasNamedGroups) args.push(this.namedGroupsObject());
    res += String(replacer(...args));
    return res;
  }
  /**
  * The match and its groups, as the elements of a JS RegExpExecArray: undefined for a group that
  * did not take part in the match. Used by exec(), matchAll() and replacer functions.
  * @returns {Array<string|undefined>}
  * @private
  */
  matchArray() {
    const result = [this.group(0)];
    for (let i = 1; i <= this.patternGroupCount; i++) {
      const group = this.group(i);
      result.push(group === null ? void 0 : group);
    }
    return result;
  }
  /**
  * The named groups, as the groups property of a JS RegExpExecArray: an object without a
  * prototype mapping each name to its group (undefined when it did not take part in the match),
  * or undefined when the pattern has no named groups.
  * @returns {Record<string, string|undefined>|undefined}
  * @private
  */
  namedGroupsObject() {
    if (!this.hasNamedGroups) return;
    const result = this.getNamedGroups();
    for (const name in result) if (result[name] === null) result[name] = void 0;
    return result;
  }
};
var Inst = class Inst2 {
  static ALT = 1;
  static ALT_MATCH = 2;
  static CAPTURE = 3;
  static EMPTY_WIDTH = 4;
  static FAIL = 5;
  static MATCH = 6;
  static NOP = 7;
  static RUNE = 8;
  static RUNE1 = 9;
  static RUNE_ANY = 10;
  static RUNE_ANY_NOT_NL = 11;
  static LB_WRITE = 12;
  static LB_CHECK = 13;
  static isRuneOp(op) {
    return Inst2.RUNE <= op && op <= Inst2.RUNE_ANY_NOT_NL;
  }
  static escapeRunes(runes) {
    let out = '"';
    for (let rune of runes) out += Utils.escapeRune(rune);
    out += '"';
    return out;
  }
  constructor(op) {
    this.op = op;
    this.out = 0;
    this.arg = 0;
    this.runes = /* @__PURE__ */ new Int32Array(0);
    this.next = null;
  }
  matchRune(r2) {
    if (this.runes.length === 1) {
      const r0 = this.runes[0];
      if ((this.arg & RE2Flags.FOLD_CASE) !== 0) return Unicode.equalsIgnoreCase(r0, r2);
      return r2 === r0;
    }
    const len = this.runes.length;
    if (len === 0) return false;
    if (len === 2 || len === 4 || len === 6 || len === 8) {
      for (let j = 0; j < len; j += 2) {
        if (r2 < this.runes[j]) return false;
        if (r2 <= this.runes[j + 1]) return true;
      }
      return false;
    }
    let base = 0;
    let n = len >> 1;
    while (n > 1) {
      const half = n >> 1;
      base += this.runes[base + half << 1] <= r2 ? half : 0;
      n -= half;
    }
    base += this.runes[base << 1] <= r2 ? 1 : 0;
    const m = base - 1;
    return m >= 0 && r2 <= this.runes[m << 1 | 1];
  }
  matchRunePos(r2) {
    if (this.runes.length === 1) {
      const r0 = this.runes[0];
      if ((this.arg & RE2Flags.FOLD_CASE) !== 0) return Unicode.equalsIgnoreCase(r0, r2) ? 0 : -1;
      return r2 === r0 ? 0 : -1;
    }
    const len = this.runes.length;
    if (len === 0) return -1;
    if (len === 2 || len === 4 || len === 6 || len === 8) {
      for (let j = 0; j < len; j += 2) {
        if (r2 < this.runes[j]) return -1;
        if (r2 <= this.runes[j + 1]) return Math.floor(j / 2);
      }
      return -1;
    }
    let base = 0;
    let n = len >> 1;
    while (n > 1) {
      const half = n >> 1;
      base += this.runes[base + half << 1] <= r2 ? half : 0;
      n -= half;
    }
    base += this.runes[base << 1] <= r2 ? 1 : 0;
    const m = base - 1;
    return m >= 0 && r2 <= this.runes[m << 1 | 1] ? m : -1;
  }
  /**
  *
  * @returns {string}
  */
  toString() {
    switch (this.op) {
      case Inst2.ALT:
        return `alt -> ${this.out}, ${this.arg}`;
      case Inst2.ALT_MATCH:
        return `altmatch -> ${this.out}, ${this.arg}`;
      case Inst2.CAPTURE:
        return `cap ${this.arg} -> ${this.out}`;
      case Inst2.EMPTY_WIDTH:
        return `empty ${this.arg} -> ${this.out}`;
      case Inst2.MATCH:
        return `match${this.arg !== 0 ? ` ${this.arg}` : ""}`;
      case Inst2.FAIL:
        return "fail";
      case Inst2.NOP:
        return `nop -> ${this.out}`;
      case Inst2.LB_WRITE:
        return `lbwrite ${this.arg} -> ${this.out}`;
      case Inst2.LB_CHECK:
        return `lbcheck ${this.arg} -> ${this.out}`;
      case Inst2.RUNE:
        if (this.runes === null) return "rune <null>";
        return [
          "rune ",
          Inst2.escapeRunes(this.runes),
          (this.arg & RE2Flags.FOLD_CASE) !== 0 ? "/i" : "",
          " -> ",
          this.out
        ].join("");
      case Inst2.RUNE1:
        return `rune1 ${Inst2.escapeRunes(this.runes)} -> ${this.out}`;
      case Inst2.RUNE_ANY:
        return `any -> ${this.out}`;
      case Inst2.RUNE_ANY_NOT_NL:
        return `anynotnl -> ${this.out}`;
      default:
        throw new Error("unhandled case in Inst.toString");
    }
  }
};
var Queue = class Queue2 {
  constructor(numInst) {
    this.sparse = new Int32Array(numInst);
    this.densePcs = new Int32Array(numInst);
    this.denseCaps = null;
    this.size = 0;
    this.ncap = 0;
    this.mainThreads = 0;
  }
  static INITIAL_THREADS = 32;
  init(ncap) {
    this.ncap = ncap;
    const needed = Math.min(this.densePcs.length, Queue2.INITIAL_THREADS) * ncap;
    if (!this.denseCaps || this.denseCaps.length < needed) this.denseCaps = new Int32Array(needed);
  }
  growCaps(needed) {
    const limit = this.densePcs.length * this.ncap;
    const grown = new Int32Array(Math.min(limit, Math.max(needed, 2 * this.denseCaps.length)));
    grown.set(this.denseCaps);
    this.denseCaps = grown;
  }
  contains(pc) {
    const j = this.sparse[pc];
    return j < this.size && this.densePcs[j] === pc;
  }
  isEmpty() {
    return this.size === 0;
  }
  add(pc) {
    const j = this.size++;
    this.sparse[pc] = j;
    this.densePcs[j] = pc;
    return j;
  }
  clear() {
    this.size = 0;
    this.mainThreads = 0;
  }
  toString() {
    let out = "{";
    for (let i = 0; i < this.size; i++) {
      if (i !== 0) out += ", ";
      out += this.densePcs[i];
    }
    out += "}";
    return out;
  }
};
var LookbehindState = class {
  constructor(prog) {
    this.pos = -1;
    this.pcs = new Int32Array(prog.numInst());
    this.size = 0;
    this.lbTable = new Int32Array(prog.numLb + 1);
  }
  reset() {
    this.pos = -1;
    this.size = 0;
  }
};
var Machine = class Machine2 {
  static fromRE2(re2) {
    const m = new Machine2();
    m.prog = re2.prog;
    m.re2 = re2;
    m.q0 = new Queue(m.prog.numInst());
    m.q1 = new Queue(m.prog.numInst());
    m.addStack = new Int32Array(2 * (m.prog.numInst() + 1));
    m.matched = false;
    m.matchcap = new Int32Array(m.prog.numCap < 2 ? 2 : m.prog.numCap);
    m.ncap = 0;
    return m;
  }
  constructor() {
    this.prog = null;
    this.re2 = null;
    this.q0 = null;
    this.q1 = null;
    this.addStack = null;
    this.matched = false;
    this.matchcap = null;
    this.ncap = 0;
    this.lbTable = null;
  }
  init(ncap) {
    this.ncap = ncap;
    if (ncap > this.matchcap.length) this.matchcap = new Int32Array(ncap).fill(-1);
    else this.matchcap.fill(-1);
    this.q0.init(ncap);
    this.q1.init(ncap);
    if (this.prog.numLb > 0) {
      if (!this.lbTable || this.lbTable.length < this.prog.numLb + 1) this.lbTable = new Int32Array(this.prog.numLb + 1);
      this.lbTable.fill(-1);
    }
  }
  submatches() {
    if (this.ncap === 0) return Utils.emptyInts();
    return Utils.toArray(this.matchcap.subarray(0, this.ncap));
  }
  match(input, pos, anchor, lbState = null) {
    const startCond = this.re2.cond;
    if (startCond === Utils.EMPTY_ALL) return false;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return false;
    this.matched = false;
    this.matchcap.fill(-1);
    const hasLookbehinds = this.prog.numLb > 0;
    const matchStartPos = pos;
    let currentPos = pos;
    let resumeLookbehinds = false;
    if (hasLookbehinds) {
      if (lbState !== null && lbState.pos >= 0 && lbState.pos <= pos) {
        currentPos = lbState.pos;
        resumeLookbehinds = true;
      } else currentPos = 0;
    }
    let saveLookbehinds = hasLookbehinds && lbState !== null;
    let runq = this.q0;
    let nextq = this.q1;
    let r2 = input.step(currentPos);
    let rune = r2 >> 3;
    let width = r2 & 7;
    let rune1 = -1;
    let width1 = 0;
    if (r2 !== MachineInputBase.EOF()) {
      r2 = input.step(currentPos + width);
      rune1 = r2 >> 3;
      width1 = r2 & 7;
    }
    let flag;
    if (currentPos === 0) flag = Utils.emptyOpContext(-1, rune);
    else flag = input.context(currentPos);
    if (hasLookbehinds) {
      if (resumeLookbehinds) this.restoreLookbehinds(lbState, runq, flag);
      else this.spawnLookbehinds(runq, currentPos, flag);
    }
    while (true) {
      if (runq.mainThreads === 0) {
        if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 && currentPos !== 0) break;
        if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && currentPos !== 0) break;
        if (this.matched) break;
        if (this.prog.numLb === 0 && runq.isEmpty() && !(this.re2.prefix.length === 0) && rune1 !== this.re2.prefixRune && input.canCheckPrefix()) {
          const advance = input.index(this.re2, currentPos);
          if (advance < 0) break;
          currentPos += advance;
          r2 = input.step(currentPos);
          rune = r2 >> 3;
          width = r2 & 7;
          r2 = input.step(currentPos + width);
          rune1 = r2 >> 3;
          width1 = r2 & 7;
          flag = input.context(currentPos);
        }
      }
      if (currentPos >= matchStartPos) {
        if (saveLookbehinds) {
          this.saveLookbehinds(lbState, runq, currentPos);
          saveLookbehinds = false;
        }
        if (!this.matched && (currentPos === 0 || anchor === RE2Flags.UNANCHORED)) {
          if (this.ncap > 0) this.matchcap[0] = currentPos;
          this.add(runq, this.prog.start, currentPos, this.matchcap, 0, flag);
        }
      }
      const nextPos = currentPos + width;
      flag = input.context(nextPos);
      this.step(runq, nextq, currentPos, nextPos, rune, flag, anchor, currentPos === input.endPos());
      if (width === 0) break;
      if (this.ncap === 0 && this.matched) break;
      currentPos += width;
      rune = rune1;
      width = width1;
      if (rune !== -1) {
        r2 = input.step(currentPos + width);
        rune1 = r2 >> 3;
        width1 = r2 & 7;
      }
      const tmpq = runq;
      runq = nextq;
      nextq = tmpq;
    }
    runq.clear();
    nextq.clear();
    return this.matched;
  }
  matchSet(input, pos, anchor) {
    const startCond = this.re2.cond;
    if (startCond === Utils.EMPTY_ALL) return [];
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return [];
    let currentPos = this.prog.numLb > 0 ? 0 : pos;
    let matchStartPos = pos;
    let runq = this.q0;
    let nextq = this.q1;
    let r2 = input.step(currentPos);
    let rune = r2 >> 3;
    let width = r2 & 7;
    let rune1 = -1;
    let width1 = 0;
    if (r2 !== MachineInputBase.EOF()) {
      r2 = input.step(currentPos + width);
      rune1 = r2 >> 3;
      width1 = r2 & 7;
    }
    let flag = currentPos === 0 ? Utils.emptyOpContext(-1, rune) : input.context(currentPos);
    const matches3 = /* @__PURE__ */ new Set();
    if (this.prog.numLb > 0) this.spawnLookbehinds(runq, currentPos, flag);
    while (true) {
      if (runq.mainThreads === 0) {
        if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 && currentPos !== 0) break;
        if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && currentPos !== 0) break;
      }
      if (currentPos === 0 || anchor === RE2Flags.UNANCHORED) {
        if (currentPos >= matchStartPos) this.add(runq, this.prog.start, currentPos, this.matchcap, 0, flag);
      }
      const nextPos = currentPos + width;
      flag = input.context(nextPos);
      for (let j = 0; j < runq.size; j++) {
        const pc = runq.densePcs[j];
        const i = this.prog.inst[pc];
        const capOffset = j * this.ncap;
        let add2 = false;
        switch (i.op) {
          case Inst.MATCH:
            if (anchor === RE2Flags.ANCHOR_BOTH && currentPos !== input.endPos()) break;
            matches3.add(i.arg);
            break;
          case Inst.RUNE:
            add2 = i.matchRune(rune);
            break;
          case Inst.RUNE1:
            add2 = rune === i.runes[0];
            break;
          case Inst.RUNE_ANY:
            add2 = true;
            break;
          case Inst.RUNE_ANY_NOT_NL:
            add2 = rune !== 10;
            break;
          default:
            continue;
        }
        if (add2) this.add(nextq, i.out, nextPos, runq.denseCaps, capOffset, flag);
      }
      runq.clear();
      if (width === 0) break;
      currentPos += width;
      rune = rune1;
      width = width1;
      if (rune !== -1) {
        r2 = input.step(currentPos + width);
        rune1 = r2 >> 3;
        width1 = r2 & 7;
      }
      const tmpq = runq;
      runq = nextq;
      nextq = tmpq;
    }
    nextq.clear();
    return Array.from(matches3).sort((a, b) => a - b);
  }
  step(runq, nextq, pos, nextPos, c, nextCond, anchor, atEnd) {
    const longest = this.re2.longest;
    for (let j = 0; j < runq.size; j++) {
      const pc = runq.densePcs[j];
      const capOffset = j * this.ncap;
      if (longest && this.matched && this.ncap > 0 && this.matchcap[0] < runq.denseCaps[capOffset]) continue;
      const i = this.prog.inst[pc];
      let add2 = false;
      switch (i.op) {
        case Inst.MATCH:
          if (anchor === RE2Flags.ANCHOR_BOTH && !atEnd) break;
          if (this.ncap > 0 && (!longest || !this.matched || this.matchcap[1] < pos)) {
            runq.denseCaps[capOffset + 1] = pos;
            for (let k = 0; k < this.ncap; k++) this.matchcap[k] = runq.denseCaps[capOffset + k];
          }
          if (!longest) runq.size = 0;
          this.matched = true;
          break;
        case Inst.RUNE:
          add2 = i.matchRune(c);
          break;
        case Inst.RUNE1:
          add2 = c === i.runes[0];
          break;
        case Inst.RUNE_ANY:
          add2 = true;
          break;
        case Inst.RUNE_ANY_NOT_NL:
          add2 = c !== 10;
          break;
        default:
          continue;
      }
      if (add2) this.add(nextq, i.out, nextPos, runq.denseCaps, capOffset, nextCond);
    }
    runq.clear();
  }
  spawnLookbehinds(q, pos, flag) {
    for (let i = 0; i < this.prog.lbStarts.length; i++) this.add(q, this.prog.lbStarts[i], pos, this.matchcap, 0, flag);
  }
  restoreLookbehinds(lbState, q, flag) {
    this.lbTable.set(lbState.lbTable);
    for (let j = 0; j < lbState.size; j++) this.add(q, lbState.pcs[j], lbState.pos, this.matchcap, 0, flag);
  }
  saveLookbehinds(lbState, q, pos) {
    let size2 = 0;
    for (let j = 0; j < q.size; j++) {
      const pc = q.densePcs[j];
      if (this.prog.lbInst[pc] === 1 && Inst.isRuneOp(this.prog.inst[pc].op)) lbState.pcs[size2++] = pc;
    }
    lbState.size = size2;
    lbState.pos = pos;
    lbState.lbTable.set(this.lbTable);
  }
  add(q, pc, pos, capArray, capOffset, cond) {
    const stk = this.addStack;
    let nstk = 0;
    for (; ; ) {
      while (pc !== 0 && !q.contains(pc)) {
        const d = q.add(pc);
        const inst = this.prog.inst[pc];
        switch (inst.op) {
          case Inst.FAIL:
            pc = 0;
            break;
          case Inst.ALT:
          case Inst.ALT_MATCH:
            stk[nstk++] = inst.arg;
            stk[nstk++] = 0;
            pc = inst.out;
            break;
          case Inst.EMPTY_WIDTH:
            pc = (inst.arg & ~cond) === 0 ? inst.out : 0;
            break;
          case Inst.NOP:
            pc = inst.out;
            break;
          case Inst.CAPTURE:
            if (inst.arg < this.ncap) {
              stk[nstk++] = -inst.arg - 1;
              stk[nstk++] = capArray[capOffset + inst.arg];
              capArray[capOffset + inst.arg] = pos;
            }
            pc = inst.out;
            break;
          case Inst.LB_WRITE:
            this.lbTable[Math.abs(inst.arg)] = pos;
            pc = inst.out;
            break;
          case Inst.LB_CHECK:
            if (inst.arg > 0) pc = this.lbTable[inst.arg] === pos ? inst.out : 0;
            else pc = this.lbTable[-inst.arg] !== pos ? inst.out : 0;
            break;
          case Inst.MATCH:
          case Inst.RUNE:
          case Inst.RUNE1:
          case Inst.RUNE_ANY:
          case Inst.RUNE_ANY_NOT_NL:
            if (this.prog.lbInst[pc] === 0) q.mainThreads++;
            if (this.ncap > 0) {
              const destOffset = d * this.ncap;
              if (destOffset + this.ncap > q.denseCaps.length) q.growCaps(destOffset + this.ncap);
              for (let c = 0; c < this.ncap; c++) q.denseCaps[destOffset + c] = capArray[capOffset + c];
            }
            pc = 0;
            break;
          default:
            throw new RE2JSInternalException("unhandled");
        }
      }
      if (nstk === 0) return;
      nstk -= 2;
      const entry = stk[nstk];
      if (entry < 0) {
        capArray[capOffset - entry - 1] = stk[nstk + 1];
        pc = 0;
      } else pc = entry;
    }
  }
};
var hashState = (pcs, flag, ids) => {
  let h = -2128831035;
  for (let i = 0; i < pcs.length; i++) {
    h ^= pcs[i];
    h = Math.imul(h, 16777619);
  }
  h ^= flag;
  h = Math.imul(h, 16777619);
  for (let i = 0; i < ids.length; i++) {
    h ^= ids[i];
    h = Math.imul(h, 16777619);
  }
  return h;
};
var arraysEqual = (a, b) => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};
var isState = (state, pcs, flag, ids) => state.flag === flag && arraysEqual(state.nfaStates, pcs) && arraysEqual(state.matchIDs, ids);
var NO_IDS = [];
var END_TEXT = -1;
var DFAState = class {
  constructor(nfaStates, flag, matchIDs) {
    this.nfaStates = nfaStates;
    this.flag = flag;
    this.isMatch = (flag & DFA.FLAG_MATCH) !== 0;
    this.matchIDs = matchIDs;
    this.next = null;
    this.nextAnchored = null;
  }
};
var DFA = class DFA2 {
  static FLAG_EMPTY_MASK = 255;
  static FLAG_MATCH = 256;
  static FLAG_LAST_WORD = 512;
  static FLAG_NEED_SHIFT = 16;
  static STATE_OVERHEAD = 150;
  static ARRAY_OVERHEAD = 40;
  static ELEMENT_SIZE = 8;
  static TABLE_OVERHEAD = 48;
  static PROGRESS_PER_STATE = 10;
  constructor(prog, maxMem = 8388608) {
    this.prog = prog;
    this.maxMem = maxMem;
    this.stateCache = /* @__PURE__ */ new Map();
    this.stateCount = 0;
    this.startStates = /* @__PURE__ */ new Map();
    this.failed = false;
    for (let pc = 0; pc < prog.numInst(); pc++) {
      const op = prog.getInst(pc).op;
      if (op === Inst.LB_WRITE || op === Inst.LB_CHECK) {
        this.failed = true;
        break;
      }
    }
    this.computeRuneClasses();
    this.stateBudget = maxMem;
    this.memBudget = maxMem;
  }
  computeRuneClasses() {
    const bounds = /* @__PURE__ */ new Set();
    const addRange = (lo, hi) => {
      bounds.add(lo);
      bounds.add(hi + 1);
    };
    for (let pc = 0; pc < this.prog.numInst(); pc++) {
      const inst = this.prog.getInst(pc);
      switch (inst.op) {
        case Inst.RUNE:
        case Inst.RUNE1:
          if (inst.runes.length === 1) {
            addRange(inst.runes[0], inst.runes[0]);
            if ((inst.arg & RE2Flags.FOLD_CASE) !== 0) for (let f = Unicode.simpleFold(inst.runes[0]); f !== inst.runes[0]; f = Unicode.simpleFold(f)) addRange(f, f);
          } else for (let j = 0; j < inst.runes.length; j += 2) addRange(inst.runes[j], inst.runes[j + 1]);
          break;
        case Inst.RUNE_ANY_NOT_NL:
          addRange(10, 10);
          break;
        case Inst.EMPTY_WIDTH:
          if ((inst.arg & (Utils.EMPTY_BEGIN_LINE | Utils.EMPTY_END_LINE)) !== 0) addRange(10, 10);
          if ((inst.arg & (Utils.EMPTY_WORD_BOUNDARY | Utils.EMPTY_NO_WORD_BOUNDARY)) !== 0) {
            addRange(48, 57);
            addRange(65, 90);
            addRange(95, 95);
            addRange(97, 122);
          }
      }
    }
    bounds.delete(0);
    this.classBounds = Int32Array.from(bounds).sort();
    this.numClasses = this.classBounds.length + 1;
    const latin1Class = new Int32Array(Unicode.MAX_LATIN1 + 1);
    for (let r2 = 0; r2 <= Unicode.MAX_LATIN1; r2++) latin1Class[r2] = this.searchClass(r2);
    this.latin1Class = latin1Class;
  }
  runeClass(r2) {
    if (r2 <= Unicode.MAX_LATIN1) return this.latin1Class[r2];
    return this.searchClass(r2);
  }
  searchClass(r2) {
    const bounds = this.classBounds;
    let lo = 0;
    let hi = bounds.length;
    while (lo < hi) {
      const mid = lo + hi >> 1;
      if (bounds[mid] <= r2) lo = mid + 1;
      else hi = mid;
    }
    return lo;
  }
  closure(pcs, flag) {
    const closure = /* @__PURE__ */ new Set();
    const stack = Array.from(pcs);
    let needflags = 0;
    while (stack.length > 0) {
      const pc = stack.pop();
      if (pc === 0 || closure.has(pc)) continue;
      closure.add(pc);
      const inst = this.prog.getInst(pc);
      switch (inst.op) {
        case Inst.ALT:
        case Inst.ALT_MATCH:
          stack.push(inst.out);
          stack.push(inst.arg);
          break;
        case Inst.NOP:
        case Inst.CAPTURE:
          stack.push(inst.out);
          break;
        case Inst.EMPTY_WIDTH:
          needflags |= inst.arg;
          if ((inst.arg & ~flag) === 0) stack.push(inst.out);
      }
    }
    return {
      pcs: Array.from(closure).sort((a, b) => a - b),
      needflags
    };
  }
  getState(pcs, flag, ids) {
    const hash = hashState(pcs, flag, ids);
    const cached = this.stateCache.get(hash);
    if (cached instanceof DFAState) {
      if (isState(cached, pcs, flag, ids)) return cached;
    } else if (cached !== void 0) {
      for (let i = 0; i < cached.length; i++) if (isState(cached[i], pcs, flag, ids)) return cached[i];
    }
    const cost = DFA2.stateCost(pcs, ids);
    if (this.memBudget < cost) return null;
    this.memBudget -= cost;
    const state = new DFAState(pcs, flag, ids);
    if (cached === void 0) this.stateCache.set(hash, state);
    else if (cached instanceof DFAState) this.stateCache.set(hash, [cached, state]);
    else cached.push(state);
    this.stateCount++;
    return state;
  }
  static stateCost(pcs, ids) {
    const idsCost = ids.length === 0 ? 0 : DFA2.ARRAY_OVERHEAD + DFA2.ELEMENT_SIZE * ids.length;
    return DFA2.STATE_OVERHEAD + DFA2.ELEMENT_SIZE * pcs.length + idsCost;
  }
  *cachedStates() {
    for (const cached of this.stateCache.values()) if (cached instanceof DFAState) yield cached;
    else yield* cached;
  }
  makeState(pcs, flag, ids) {
    const closure = this.closure(pcs, flag & DFA2.FLAG_EMPTY_MASK);
    let stateFlag = flag;
    if (closure.needflags === 0) stateFlag &= DFA2.FLAG_MATCH;
    stateFlag |= closure.needflags << DFA2.FLAG_NEED_SHIFT;
    return this.getState(closure.pcs, stateFlag, ids);
  }
  allocTable(state, anchor) {
    const size2 = this.numClasses + 1;
    const cost = DFA2.TABLE_OVERHEAD + DFA2.ELEMENT_SIZE * size2;
    if (this.memBudget < cost) return null;
    this.memBudget -= cost;
    const table = new Array(size2).fill(null);
    if (anchor === RE2Flags.UNANCHORED) state.next = table;
    else state.nextAnchored = table;
    return table;
  }
  clearCache() {
    this.stateCache.clear();
    this.stateCount = 0;
    this.startStates.clear();
    this.memBudget = this.stateBudget;
  }
  resetCache(current) {
    this.clearCache();
    return this.getState(current.nfaStates, current.flag, current.matchIDs);
  }
  step(state, cls, rune, anchor) {
    let table = anchor === RE2Flags.UNANCHORED ? state.next : state.nextAnchored;
    if (table !== null) {
      const cached = table[cls];
      if (cached !== null) return cached;
    } else {
      table = this.allocTable(state, anchor);
      if (table === null) return null;
    }
    const needflag = state.flag >>> DFA2.FLAG_NEED_SHIFT;
    const oldbeforeflag = state.flag & DFA2.FLAG_EMPTY_MASK;
    let beforeflag = oldbeforeflag;
    let afterflag = 0;
    if (rune === 10) {
      beforeflag |= Utils.EMPTY_END_LINE;
      afterflag |= Utils.EMPTY_BEGIN_LINE;
    }
    if (rune === END_TEXT) beforeflag |= Utils.EMPTY_END_LINE | Utils.EMPTY_END_TEXT;
    const islastword = (state.flag & DFA2.FLAG_LAST_WORD) !== 0;
    const isword = rune !== END_TEXT && Utils.isWordRune(rune);
    beforeflag |= isword === islastword ? Utils.EMPTY_NO_WORD_BOUNDARY : Utils.EMPTY_WORD_BOUNDARY;
    let pcs = state.nfaStates;
    if ((beforeflag & ~oldbeforeflag & needflag) !== 0) pcs = this.closure(pcs, beforeflag).pcs;
    const nextPCs = [];
    let ismatch = false;
    let ids = NO_IDS;
    for (let i = 0; i < pcs.length; i++) {
      const inst = this.prog.getInst(pcs[i]);
      if (inst.op === Inst.MATCH) {
        if (!ismatch) {
          ismatch = true;
          ids = [];
        }
        ids.push(inst.arg);
      } else if (rune !== END_TEXT && Inst.isRuneOp(inst.op) && inst.matchRune(rune)) nextPCs.push(inst.out);
    }
    if (ids.length > 1) ids.sort((a, b) => a - b);
    if (anchor === RE2Flags.UNANCHORED && rune !== END_TEXT) nextPCs.push(this.prog.start);
    let flag = afterflag;
    if (ismatch) flag |= DFA2.FLAG_MATCH;
    if (isword) flag |= DFA2.FLAG_LAST_WORD;
    const nextState = this.makeState(nextPCs, flag, ids);
    if (nextState === null) return null;
    table[cls] = nextState;
    return nextState;
  }
  start(input, pos) {
    const context = input.context(pos);
    let flags;
    if ((context & Utils.EMPTY_BEGIN_TEXT) !== 0) flags = Utils.EMPTY_BEGIN_TEXT | Utils.EMPTY_BEGIN_LINE;
    else if ((context & Utils.EMPTY_BEGIN_LINE) !== 0) flags = Utils.EMPTY_BEGIN_LINE;
    else {
      const r2 = input.step(pos);
      const nextIsWord = r2 >= 0 && Utils.isWordRune(r2 >> 3);
      flags = (context & Utils.EMPTY_WORD_BOUNDARY) !== 0 !== nextIsWord ? DFA2.FLAG_LAST_WORD : 0;
    }
    let state = this.startStates.get(flags);
    if (state === void 0) {
      state = this.makeState([this.prog.start], flags, NO_IDS);
      if (state === null) {
        this.clearCache();
        state = this.makeState([this.prog.start], flags, NO_IDS);
        if (state === null) return null;
      }
      this.startStates.set(flags, state);
    }
    return state;
  }
  stepOrReset(state, cls, rune, anchor, pos, search) {
    let next = this.step(state, cls, rune, anchor);
    if (next !== null) return next;
    if (search.resetPos >= 0 && pos - search.resetPos < DFA2.PROGRESS_PER_STATE * this.stateCount) return null;
    search.resetPos = pos;
    const restored = this.resetCache(state);
    if (restored === null) return null;
    next = this.step(restored, cls, rune, anchor);
    return next;
  }
  run(input, pos, anchor, state, onMatch) {
    const endPos = input.endPos();
    const latin1Class = this.latin1Class;
    const unanchored = anchor === RE2Flags.UNANCHORED;
    const search = { resetPos: -1 };
    let i = pos;
    while (i < endPos) {
      const r2 = input.step(i);
      const rune = r2 >> 3;
      const width = r2 & 7;
      if (width === 0) break;
      const cls = rune <= Unicode.MAX_LATIN1 ? latin1Class[rune] : this.runeClass(rune);
      let next = unanchored && state.next !== null ? state.next[cls] : null;
      if (next === null) {
        next = this.stepOrReset(state, cls, rune, anchor, i, search);
        if (next === null) return null;
      }
      state = next;
      if (state.isMatch && onMatch(state, false)) return true;
      if (!unanchored && state.nfaStates.length === 0) return false;
      i += width;
    }
    state = this.stepOrReset(state, this.numClasses, END_TEXT, anchor, i, search);
    if (state === null) return null;
    return state.isMatch && onMatch(state, true);
  }
  match(input, pos, anchor) {
    if (this.failed) return null;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return false;
    const startState = this.start(input, pos);
    if (startState === null) return null;
    return this.run(input, pos, anchor, startState, (state, atEnd) => anchor !== RE2Flags.ANCHOR_BOTH || atEnd);
  }
  matchSet(input, pos, anchor) {
    if (this.failed) return null;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return [];
    const startState = this.start(input, pos);
    if (startState === null) return null;
    const matches3 = /* @__PURE__ */ new Set();
    const collect2 = (state, atEnd) => {
      if (anchor !== RE2Flags.ANCHOR_BOTH || atEnd) for (let k = 0; k < state.matchIDs.length; k++) matches3.add(state.matchIDs[k]);
      return false;
    };
    if (this.run(input, pos, anchor, startState, collect2) === null) return null;
    return Array.from(matches3).sort((a, b) => a - b);
  }
};
var VISITED_BITS = 32;
var MAX_BACKTRACK_PROG = 500;
var INITIAL_JOB_CAPACITY = 256;
var MAX_BACKTRACK_VECTOR = 262144;
var BitState = class {
  constructor() {
    this.end = 0;
    this.cap = /* @__PURE__ */ new Int32Array(0);
    this.matchcap = /* @__PURE__ */ new Int32Array(0);
    this.ncap = 0;
    this.jobPc = new Int32Array(INITIAL_JOB_CAPACITY);
    this.jobArg = new Uint8Array(INITIAL_JOB_CAPACITY);
    this.jobPos = new Int32Array(INITIAL_JOB_CAPACITY);
    this.jobLen = 0;
    this.visited = /* @__PURE__ */ new Uint32Array(0);
  }
  reset(prog, end, ncap) {
    this.end = end;
    this.jobLen = 0;
    this.ncap = ncap;
    const visitedSize = prog.numInst() * (end + 1) + VISITED_BITS - 1 >>> 5;
    if (this.visited.length < visitedSize) this.visited = new Uint32Array(visitedSize);
    else this.visited.fill(0, 0, visitedSize);
    if (this.cap.length < ncap) this.cap = new Int32Array(ncap).fill(-1);
    else this.cap.fill(-1, 0, ncap);
    if (this.matchcap.length < ncap) this.matchcap = new Int32Array(ncap).fill(-1);
    else this.matchcap.fill(-1, 0, ncap);
  }
  shouldVisit(pc, pos) {
    const n = pc * (this.end + 1) + pos;
    const idx = n >>> 5;
    const mask = 1 << (n & 31);
    if ((this.visited[idx] & mask) !== 0) return false;
    this.visited[idx] |= mask;
    return true;
  }
  push(re2, pc, pos, arg) {
    if (re2.prog.getInst(pc).op !== Inst.FAIL && (arg || this.shouldVisit(pc, pos))) {
      if (this.jobLen >= this.jobPc.length) {
        const newSize = this.jobPc.length * 2;
        const newPc = new Int32Array(newSize);
        newPc.set(this.jobPc);
        this.jobPc = newPc;
        const newArg = new Uint8Array(newSize);
        newArg.set(this.jobArg);
        this.jobArg = newArg;
        const newPos = new Int32Array(newSize);
        newPos.set(this.jobPos);
        this.jobPos = newPos;
      }
      this.jobPc[this.jobLen] = pc;
      this.jobArg[this.jobLen] = arg ? 1 : 0;
      this.jobPos[this.jobLen] = pos;
      this.jobLen++;
    }
  }
  tryBacktrack(re2, input, pc, pos, anchor) {
    const longest = re2.longest;
    this.push(re2, pc, pos, false);
    while (this.jobLen > 0) {
      this.jobLen--;
      let currentPc = this.jobPc[this.jobLen];
      let arg = this.jobArg[this.jobLen] === 1;
      let currentPos = this.jobPos[this.jobLen];
      let skipShouldVisit = true;
      while (true) {
        if (!skipShouldVisit) {
          if (!this.shouldVisit(currentPc, currentPos)) break;
        }
        skipShouldVisit = false;
        const inst = re2.prog.getInst(currentPc);
        switch (inst.op) {
          case Inst.FAIL:
            break;
          case Inst.ALT:
            if (arg) {
              arg = false;
              currentPc = inst.arg;
              continue;
            } else {
              this.push(re2, currentPc, currentPos, true);
              currentPc = inst.out;
              continue;
            }
          case Inst.ALT_MATCH: {
            const outInst = re2.prog.getInst(inst.out);
            if (Inst.isRuneOp(outInst.op)) {
              this.push(re2, inst.arg, currentPos, false);
              currentPc = inst.arg;
              currentPos = this.end;
              continue;
            }
            this.push(re2, inst.out, this.end, false);
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE: {
            const r2 = input.step(currentPos);
            if (r2 === MachineInputBase.EOF()) break;
            if (!inst.matchRune(r2 >> 3)) break;
            currentPos += r2 & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE1: {
            const r2 = input.step(currentPos);
            if (r2 === MachineInputBase.EOF()) break;
            if (r2 >> 3 !== inst.runes[0]) break;
            currentPos += r2 & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE_ANY_NOT_NL: {
            const r2 = input.step(currentPos);
            if (r2 === MachineInputBase.EOF()) break;
            if (r2 >> 3 === 10) break;
            currentPos += r2 & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.RUNE_ANY: {
            const r2 = input.step(currentPos);
            if (r2 === MachineInputBase.EOF()) break;
            currentPos += r2 & 7;
            currentPc = inst.out;
            continue;
          }
          case Inst.CAPTURE:
            if (arg) {
              this.cap[inst.arg] = currentPos;
              break;
            } else {
              if (inst.arg < this.ncap) {
                this.push(re2, currentPc, this.cap[inst.arg], true);
                this.cap[inst.arg] = currentPos;
              }
              currentPc = inst.out;
              continue;
            }
          case Inst.EMPTY_WIDTH: {
            const flag = input.context(currentPos);
            if ((inst.arg & ~flag) !== 0) break;
            currentPc = inst.out;
            continue;
          }
          case Inst.NOP:
            currentPc = inst.out;
            continue;
          case Inst.MATCH: {
            if (anchor === RE2Flags.ANCHOR_BOTH && currentPos !== this.end) break;
            if (this.ncap === 0) return true;
            if (this.ncap > 1) this.cap[1] = currentPos;
            const old = this.matchcap[1];
            if (old === -1 || longest && currentPos > 0 && currentPos > old) this.matchcap.set(this.cap);
            if (!longest) return true;
            if (currentPos === this.end) return true;
            break;
          }
          case Inst.LB_WRITE:
          case Inst.LB_CHECK:
            throw new RE2JSInternalException("Backtracker cannot evaluate Lookbehind instructions");
          default:
            throw new RE2JSInternalException("bad inst");
        }
        break;
      }
    }
    return longest && this.matchcap.length > 1 && this.matchcap[1] >= 0;
  }
};
var bitStatePool = [];
var Backtracker = class Backtracker2 {
  static shouldBacktrack(prog) {
    return prog.numInst() <= MAX_BACKTRACK_PROG;
  }
  static maxBitStateLen(prog) {
    if (!Backtracker2.shouldBacktrack(prog)) return 0;
    return Math.floor(MAX_BACKTRACK_VECTOR / prog.numInst());
  }
  static execute(re2, input, pos, anchor, ncap) {
    const startCond = re2.cond;
    if (startCond === Utils.EMPTY_ALL) return null;
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return null;
    if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 && pos !== 0) return null;
    const b = bitStatePool.length > 0 ? bitStatePool.pop() : new BitState();
    const end = input.endPos();
    b.reset(re2.prog, end, ncap);
    let matched2 = false;
    if ((startCond & Utils.EMPTY_BEGIN_TEXT) !== 0 || anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) {
      if (b.ncap > 0) b.cap[0] = pos;
      if (b.tryBacktrack(re2, input, re2.prog.start, pos, anchor)) matched2 = true;
    } else {
      let width = -1;
      for (; pos <= end && width !== 0; pos += width) {
        if (re2.prefix.length > 0) {
          const advance = input.index(re2, pos);
          if (advance < 0) break;
          pos += advance;
        }
        if (b.ncap > 0) b.cap[0] = pos;
        if (b.tryBacktrack(re2, input, re2.prog.start, pos, anchor)) {
          matched2 = true;
          break;
        }
        const r2 = input.step(pos);
        width = r2 === MachineInputBase.EOF() ? 0 : r2 & 7;
      }
    }
    if (!matched2) {
      bitStatePool.push(b);
      return null;
    }
    const result = ncap === 0 ? [] : Utils.toArray(b.matchcap.subarray(0, ncap));
    bitStatePool.push(b);
    return result;
  }
};
var QueueOnePass = class {
  constructor(size2) {
    this.sparse = new Uint32Array(size2);
    this.dense = new Uint32Array(size2);
    this.size = 0;
    this.nextIndex = 0;
  }
  empty() {
    return this.nextIndex >= this.size;
  }
  next() {
    return this.dense[this.nextIndex++];
  }
  clear() {
    this.size = 0;
    this.nextIndex = 0;
  }
  contains(u) {
    return u < this.sparse.length && this.sparse[u] < this.size && this.dense[this.sparse[u]] === u;
  }
  insert(u) {
    if (!this.contains(u)) this.insertNew(u);
  }
  insertNew(u) {
    if (u >= this.sparse.length) return;
    this.sparse[u] = this.size;
    this.dense[this.size] = u;
    this.size++;
  }
};
var mergeRuneSets = (leftRunes, rightRunes, leftPC, rightPC) => {
  const leftLen = leftRunes.length;
  const rightLen = rightRunes.length;
  let lx = 0, rx = 0;
  const merged = [];
  const next = [];
  let ok = true;
  let ix = -1;
  const extend = (isLeft) => {
    const newArray = isLeft ? leftRunes : rightRunes;
    const low = isLeft ? lx : rx;
    const pc = isLeft ? leftPC : rightPC;
    if (ix > 0 && newArray[low] <= merged[ix]) return false;
    merged.push(newArray[low], newArray[low + 1]);
    if (isLeft) lx += 2;
    else rx += 2;
    ix += 2;
    next.push(pc);
    return true;
  };
  while (lx < leftLen || rx < rightLen) {
    if (rx >= rightLen) ok = extend(true);
    else if (lx >= leftLen) ok = extend(false);
    else if (rightRunes[rx] < leftRunes[lx]) ok = extend(false);
    else ok = extend(true);
    if (!ok) return null;
  }
  return {
    merged,
    next
  };
};
var OnePassProg = class {
  constructor(prog) {
    this.start = prog.start;
    this.numCap = prog.numCap;
    this.inst = new Array(prog.inst.length);
    for (let i = 0; i < prog.inst.length; i++) {
      const orig = prog.inst[i];
      const inst = new Inst(orig.op);
      inst.out = orig.out;
      inst.arg = orig.arg;
      inst.runes = orig.runes ? new Int32Array(orig.runes) : /* @__PURE__ */ new Int32Array(0);
      inst.next = null;
      this.inst[i] = inst;
    }
  }
};
var onePassCopy = (prog) => {
  const p = new OnePassProg(prog);
  for (let pc = 0; pc < p.inst.length; pc++) {
    const inst = p.inst[pc];
    if (inst.op !== Inst.ALT && inst.op !== Inst.ALT_MATCH) continue;
    let pAOther = "out";
    let pAAlt = "arg";
    let instAlt = p.inst[inst[pAAlt]];
    if (instAlt.op !== Inst.ALT && instAlt.op !== Inst.ALT_MATCH) {
      pAOther = "arg";
      pAAlt = "out";
      instAlt = p.inst[inst[pAAlt]];
      if (instAlt.op !== Inst.ALT && instAlt.op !== Inst.ALT_MATCH) continue;
    }
    const instOther = p.inst[inst[pAOther]];
    if (instOther.op === Inst.ALT || instOther.op === Inst.ALT_MATCH) continue;
    let pBAlt = "out";
    let pBOther = "arg";
    let patch = false;
    if (instAlt.out === pc) patch = true;
    else if (instAlt.arg === pc) {
      patch = true;
      pBAlt = "arg";
      pBOther = "out";
    }
    if (patch) instAlt[pBAlt] = inst[pAOther];
    if (inst[pAOther] === instAlt[pBAlt]) inst[pAAlt] = instAlt[pBOther];
  }
  return p;
};
var makeOnePass = (p) => {
  if (p.inst.length >= 1e3) return null;
  const instQueue = new QueueOnePass(p.inst.length);
  const visitQueue = new QueueOnePass(p.inst.length);
  const onePassRunes = new Array(p.inst.length);
  const m = new Array(p.inst.length).fill(false);
  const check2 = (pc) => {
    let ok = true;
    const inst = p.inst[pc];
    if (visitQueue.contains(pc)) return true;
    visitQueue.insert(pc);
    switch (inst.op) {
      case Inst.ALT:
      case Inst.ALT_MATCH: {
        ok = check2(inst.out) && check2(inst.arg);
        let matchOut = m[inst.out];
        let matchArg = m[inst.arg];
        if (matchOut && matchArg) return false;
        if (matchArg) {
          const tempOut = inst.out;
          inst.out = inst.arg;
          inst.arg = tempOut;
          const tempMatch = matchOut;
          matchOut = matchArg;
          matchArg = tempMatch;
        }
        if (matchOut) {
          m[pc] = true;
          inst.op = Inst.ALT_MATCH;
        }
        const leftRunes = onePassRunes[inst.out] || [];
        const rightRunes = onePassRunes[inst.arg] || [];
        const mergeRes = mergeRuneSets(leftRunes, rightRunes, inst.out, inst.arg);
        if (!mergeRes) return false;
        onePassRunes[pc] = new Int32Array(mergeRes.merged);
        inst.next = new Uint32Array(mergeRes.next);
        break;
      }
      case Inst.CAPTURE:
      case Inst.EMPTY_WIDTH:
      case Inst.NOP:
        ok = check2(inst.out);
        m[pc] = m[inst.out];
        onePassRunes[pc] = onePassRunes[inst.out] ? new Int32Array(onePassRunes[inst.out]) : /* @__PURE__ */ new Int32Array(0);
        inst.next = new Uint32Array(Math.floor(onePassRunes[pc].length / 2) + 1).fill(inst.out);
        break;
      case Inst.MATCH:
      case Inst.FAIL:
        m[pc] = inst.op === Inst.MATCH;
        break;
      case Inst.RUNE: {
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        if (!inst.runes || inst.runes.length === 0) {
          onePassRunes[pc] = /* @__PURE__ */ new Int32Array(0);
          inst.next = new Uint32Array([inst.out]);
          break;
        }
        let runes = [];
        if (inst.runes.length === 1 && (inst.arg & RE2Flags.FOLD_CASE) !== 0) {
          const r0 = inst.runes[0];
          runes.push(r0, r0);
          for (let r1 = Unicode.simpleFold(r0); r1 !== r0; r1 = Unicode.simpleFold(r1)) runes.push(r1, r1);
          runes.sort((a, b) => a - b);
        } else for (let j = 0; j < inst.runes.length; j++) runes.push(inst.runes[j]);
        onePassRunes[pc] = new Int32Array(runes);
        inst.next = new Uint32Array(Math.floor(runes.length / 2) + 1).fill(inst.out);
        inst.op = Inst.RUNE;
        break;
      }
      case Inst.RUNE1: {
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        let runes = [];
        if ((inst.arg & RE2Flags.FOLD_CASE) !== 0) {
          const r0 = inst.runes[0];
          runes.push(r0, r0);
          for (let r1 = Unicode.simpleFold(r0); r1 !== r0; r1 = Unicode.simpleFold(r1)) runes.push(r1, r1);
          runes.sort((a, b) => a - b);
        } else runes.push(inst.runes[0], inst.runes[0]);
        onePassRunes[pc] = new Int32Array(runes);
        inst.next = new Uint32Array(Math.floor(runes.length / 2) + 1).fill(inst.out);
        inst.op = Inst.RUNE;
        break;
      }
      case Inst.RUNE_ANY:
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        onePassRunes[pc] = new Int32Array([0, Unicode.MAX_RUNE]);
        inst.next = new Uint32Array([inst.out]);
        break;
      case Inst.RUNE_ANY_NOT_NL:
        m[pc] = false;
        if (inst.next && inst.next.length > 0) break;
        instQueue.insert(inst.out);
        onePassRunes[pc] = new Int32Array([
          0,
          9,
          11,
          Unicode.MAX_RUNE
        ]);
        inst.next = new Uint32Array(Math.floor(onePassRunes[pc].length / 2) + 1).fill(inst.out);
    }
    return ok;
  };
  instQueue.clear();
  instQueue.insert(p.start);
  while (!instQueue.empty()) {
    visitQueue.clear();
    if (!check2(instQueue.next())) return null;
  }
  for (let i = 0; i < p.inst.length; i++) if (onePassRunes[i]) p.inst[i].runes = onePassRunes[i];
  return p;
};
var cleanupOnePass = (p, original) => {
  for (let ix = 0; ix < original.inst.length; ix++) {
    const instOriginal = original.inst[ix];
    switch (instOriginal.op) {
      case Inst.ALT:
      case Inst.ALT_MATCH:
      case Inst.RUNE:
        break;
      case Inst.CAPTURE:
      case Inst.EMPTY_WIDTH:
      case Inst.NOP:
      case Inst.MATCH:
      case Inst.FAIL:
        p.inst[ix].next = null;
        break;
      case Inst.RUNE1:
      case Inst.RUNE_ANY:
      case Inst.RUNE_ANY_NOT_NL:
        p.inst[ix].next = null;
        p.inst[ix].op = instOriginal.op;
        p.inst[ix].runes = instOriginal.runes ? new Int32Array(instOriginal.runes) : /* @__PURE__ */ new Int32Array(0);
    }
  }
};
var OnePass = class OnePass2 {
  static compile(prog) {
    if (prog.start === 0) return null;
    if (prog.numLb > 0) return null;
    const startInst = prog.inst[prog.start];
    if (startInst.op !== Inst.EMPTY_WIDTH || (startInst.arg & Utils.EMPTY_BEGIN_TEXT) === 0) return null;
    let hasAlt = false;
    for (let i = 0; i < prog.inst.length; i++) if (prog.inst[i].op === Inst.ALT || prog.inst[i].op === Inst.ALT_MATCH) {
      hasAlt = true;
      break;
    }
    for (let i = 0; i < prog.inst.length; i++) {
      const inst = prog.inst[i];
      const opOut = prog.inst[inst.out].op;
      switch (inst.op) {
        case Inst.ALT:
        case Inst.ALT_MATCH:
          if (opOut === Inst.MATCH || prog.inst[inst.arg].op === Inst.MATCH) return null;
          break;
        case Inst.EMPTY_WIDTH:
          if (opOut === Inst.MATCH) {
            if ((inst.arg & Utils.EMPTY_END_TEXT) === Utils.EMPTY_END_TEXT) continue;
            return null;
          }
          break;
        default:
          if (opOut === Inst.MATCH && hasAlt) return null;
      }
    }
    let p = onePassCopy(prog);
    p = makeOnePass(p);
    if (p !== null) cleanupOnePass(p, prog);
    return p;
  }
  static next(inst, r2) {
    const nextIdx = inst.matchRunePos(r2);
    if (nextIdx >= 0) return inst.next[nextIdx];
    if (inst.op === Inst.ALT_MATCH) return inst.out;
    return 0;
  }
  static execute(re2, input, pos, anchor, ncap) {
    const onepass = re2.onepass;
    if (!onepass) return null;
    const matchcap = new Int32Array(ncap).fill(-1);
    let matched2 = false;
    let r2 = input.step(pos);
    let rune = r2 >> 3;
    let width = r2 & 7;
    let r1 = MachineInputBase.EOF();
    let rune1 = -1;
    let width1 = 0;
    if (r2 !== MachineInputBase.EOF()) {
      r1 = input.step(pos + width);
      if (r1 !== MachineInputBase.EOF()) {
        rune1 = r1 >> 3;
        width1 = r1 & 7;
      }
    }
    let flag = pos === 0 ? Utils.emptyOpContext(-1, rune) : input.context(pos);
    let pc = onepass.start;
    let inst;
    while (true) {
      inst = onepass.inst[pc];
      pc = inst.out;
      switch (inst.op) {
        case Inst.MATCH:
          if (anchor === RE2Flags.ANCHOR_BOTH && pos !== input.endPos()) return null;
          matched2 = true;
          if (matchcap.length > 0) {
            matchcap[0] = 0;
            matchcap[1] = pos;
          }
          return ncap === 0 ? [] : Utils.toArray(matchcap);
        case Inst.RUNE:
          if (!inst.matchRune(rune)) return null;
          break;
        case Inst.RUNE1:
          if (rune !== inst.runes[0]) return null;
          break;
        case Inst.RUNE_ANY:
          break;
        case Inst.RUNE_ANY_NOT_NL:
          if (rune === 10) return null;
          break;
        case Inst.ALT:
        case Inst.ALT_MATCH:
          pc = OnePass2.next(inst, rune);
          continue;
        case Inst.FAIL:
          return null;
        case Inst.NOP:
          continue;
        case Inst.EMPTY_WIDTH:
          if ((inst.arg & ~flag) !== 0) return null;
          continue;
        case Inst.CAPTURE:
          if (inst.arg < matchcap.length) matchcap[inst.arg] = pos;
          continue;
        default:
          throw new RE2JSInternalException("bad inst");
      }
      if (width === 0) break;
      flag = Utils.emptyOpContext(rune, rune1);
      pos += width;
      rune = rune1;
      width = width1;
      if (rune !== -1) {
        r1 = input.step(pos + width);
        if (r1 !== MachineInputBase.EOF()) {
          rune1 = r1 >> 3;
          width1 = r1 & 7;
        } else {
          rune1 = -1;
          width1 = 0;
        }
      }
    }
    if (!matched2) return null;
    return ncap === 0 ? [] : Utils.toArray(matchcap);
  }
};
var Regexp = class Regexp2 {
  static Op = createEnum([
    "NO_MATCH",
    "EMPTY_MATCH",
    "LITERAL",
    "CHAR_CLASS",
    "ANY_CHAR_NOT_NL",
    "ANY_CHAR",
    "BEGIN_LINE",
    "END_LINE",
    "BEGIN_TEXT",
    "END_TEXT",
    "WORD_BOUNDARY",
    "NO_WORD_BOUNDARY",
    "CAPTURE",
    "STAR",
    "PLUS",
    "QUEST",
    "REPEAT",
    "CONCAT",
    "ALTERNATE",
    "PLB",
    "NLB",
    "LEFT_PAREN",
    "VERTICAL_BAR"
  ]);
  static isPseudoOp(op) {
    return op >= Regexp2.Op.LEFT_PAREN;
  }
  static emptySubs() {
    return [];
  }
  static quoteIfHyphen(rune) {
    if (rune === Codepoint.CODES["-"]) return "\\";
    return "";
  }
  static fromRegexp(re) {
    const regex = new Regexp2(re.op);
    regex.flags = re.flags;
    regex.subs = re.subs;
    regex.runes = re.runes;
    regex.cap = re.cap;
    regex.min = re.min;
    regex.max = re.max;
    regex.name = re.name;
    regex.namedGroups = re.namedGroups;
    regex.lb = re.lb;
    return regex;
  }
  constructor(op) {
    this.op = op;
    this.flags = 0;
    this.subs = Regexp2.emptySubs();
    this.runes = /* @__PURE__ */ new Int32Array(0);
    this.min = 0;
    this.max = 0;
    this.cap = 0;
    this.name = null;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.lb = 0;
  }
  reinit() {
    this.flags = 0;
    this.subs = Regexp2.emptySubs();
    this.runes = /* @__PURE__ */ new Int32Array(0);
    this.cap = 0;
    this.min = 0;
    this.max = 0;
    this.name = null;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.lb = 0;
  }
  toString() {
    return this.appendTo();
  }
  appendTo() {
    let out = "";
    switch (this.op) {
      case Regexp2.Op.NO_MATCH:
        out += "[^\\x00-\\x{10FFFF}]";
        break;
      case Regexp2.Op.EMPTY_MATCH:
        out += "(?:)";
        break;
      case Regexp2.Op.STAR:
      case Regexp2.Op.PLUS:
      case Regexp2.Op.QUEST:
      case Regexp2.Op.REPEAT: {
        const sub = this.subs[0];
        if (sub.op > Regexp2.Op.CAPTURE || sub.op === Regexp2.Op.LITERAL && sub.runes.length > 1) out += `(?:${sub.appendTo()})`;
        else out += sub.appendTo();
        switch (this.op) {
          case Regexp2.Op.STAR:
            out += "*";
            break;
          case Regexp2.Op.PLUS:
            out += "+";
            break;
          case Regexp2.Op.QUEST:
            out += "?";
            break;
          case Regexp2.Op.REPEAT:
            out += `{${this.min}`;
            if (this.min !== this.max) {
              out += ",";
              if (this.max >= 0) out += this.max;
            }
            out += "}";
        }
        if ((this.flags & RE2Flags.NON_GREEDY) !== 0) out += "?";
        break;
      }
      case Regexp2.Op.CONCAT:
        for (let sub of this.subs) if (sub.op === Regexp2.Op.ALTERNATE) out += `(?:${sub.appendTo()})`;
        else out += sub.appendTo();
        break;
      case Regexp2.Op.ALTERNATE: {
        let sep = "";
        for (let sub of this.subs) {
          out += sep;
          sep = "|";
          out += sub.appendTo();
        }
        break;
      }
      case Regexp2.Op.LITERAL:
        if ((this.flags & RE2Flags.FOLD_CASE) !== 0) out += "(?i:";
        for (let rune of this.runes) out += Utils.escapeRune(rune);
        if ((this.flags & RE2Flags.FOLD_CASE) !== 0) out += ")";
        break;
      case Regexp2.Op.ANY_CHAR_NOT_NL:
        out += "(?-s:.)";
        break;
      case Regexp2.Op.ANY_CHAR:
        out += "(?s:.)";
        break;
      case Regexp2.Op.PLB:
        out += `(?<=${this.subs[0].appendTo()})`;
        break;
      case Regexp2.Op.NLB:
        out += `(?<!${this.subs[0].appendTo()})`;
        break;
      case Regexp2.Op.CAPTURE:
        if (this.name === null || this.name.length === 0) out += "(";
        else out += `(?P<${this.name}>`;
        if (this.subs[0].op !== Regexp2.Op.EMPTY_MATCH) out += this.subs[0].appendTo();
        out += ")";
        break;
      case Regexp2.Op.BEGIN_TEXT:
        out += "\\A";
        break;
      case Regexp2.Op.END_TEXT:
        if ((this.flags & RE2Flags.WAS_DOLLAR) !== 0) out += "(?-m:$)";
        else out += "\\z";
        break;
      case Regexp2.Op.BEGIN_LINE:
        out += "^";
        break;
      case Regexp2.Op.END_LINE:
        out += "$";
        break;
      case Regexp2.Op.WORD_BOUNDARY:
        out += "\\b";
        break;
      case Regexp2.Op.NO_WORD_BOUNDARY:
        out += "\\B";
        break;
      case Regexp2.Op.CHAR_CLASS:
        if (this.runes.length % 2 !== 0) {
          out += "[invalid char class]";
          break;
        }
        out += "[";
        if (this.runes.length === 0) out += "^\\x00-\\x{10FFFF}";
        else if (this.runes[0] === 0 && this.runes[this.runes.length - 1] === Unicode.MAX_RUNE) {
          out += "^";
          for (let i = 1; i < this.runes.length - 1; i += 2) {
            const lo = this.runes[i] + 1;
            const hi = this.runes[i + 1] - 1;
            out += Regexp2.quoteIfHyphen(lo);
            out += Utils.escapeRune(lo);
            if (lo !== hi) {
              out += "-";
              out += Regexp2.quoteIfHyphen(hi);
              out += Utils.escapeRune(hi);
            }
          }
        } else for (let i = 0; i < this.runes.length; i += 2) {
          const lo = this.runes[i];
          const hi = this.runes[i + 1];
          out += Regexp2.quoteIfHyphen(lo);
          out += Utils.escapeRune(lo);
          if (lo !== hi) {
            out += "-";
            out += Regexp2.quoteIfHyphen(hi);
            out += Utils.escapeRune(hi);
          }
        }
        out += "]";
        break;
      default:
        out += this.op;
    }
    return out;
  }
  maxCap() {
    let m = 0;
    if (this.op === Regexp2.Op.CAPTURE) m = this.cap;
    if (this.subs !== null) for (let sub of this.subs) {
      const n = sub.maxCap();
      if (m < n) m = n;
    }
    return m;
  }
  equals(that) {
    if (!(that !== null && that instanceof Regexp2)) return false;
    if (this.op !== that.op) return false;
    switch (this.op) {
      case Regexp2.Op.END_TEXT:
        if ((this.flags & RE2Flags.WAS_DOLLAR) !== (that.flags & RE2Flags.WAS_DOLLAR)) return false;
        break;
      case Regexp2.Op.LITERAL:
      case Regexp2.Op.CHAR_CLASS:
        if ((this.flags & RE2Flags.FOLD_CASE) !== (that.flags & RE2Flags.FOLD_CASE)) return false;
        if (this.runes === null && that.runes === null) break;
        if (this.runes === null || that.runes === null) return false;
        if (this.runes.length !== that.runes.length) return false;
        for (let i = 0; i < this.runes.length; i++) if (this.runes[i] !== that.runes[i]) return false;
        break;
      case Regexp2.Op.ALTERNATE:
      case Regexp2.Op.CONCAT:
        if (this.subs.length !== that.subs.length) return false;
        for (let i = 0; i < this.subs.length; ++i) if (!this.subs[i].equals(that.subs[i])) return false;
        break;
      case Regexp2.Op.STAR:
      case Regexp2.Op.PLUS:
      case Regexp2.Op.QUEST:
        if ((this.flags & RE2Flags.NON_GREEDY) !== (that.flags & RE2Flags.NON_GREEDY) || !this.subs[0].equals(that.subs[0])) return false;
        break;
      case Regexp2.Op.REPEAT:
        if ((this.flags & RE2Flags.NON_GREEDY) !== (that.flags & RE2Flags.NON_GREEDY) || this.min !== that.min || this.max !== that.max || !this.subs[0].equals(that.subs[0])) return false;
        break;
      case Regexp2.Op.CAPTURE:
        if (this.cap !== that.cap || (this.name === null ? that.name !== null : this.name !== that.name) || !this.subs[0].equals(that.subs[0])) return false;
        break;
      case Regexp2.Op.PLB:
      case Regexp2.Op.NLB:
        if (this.lb !== that.lb || !this.subs[0].equals(that.subs[0])) return false;
    }
    return true;
  }
};
var RegexpWalker = class {
  static walk(root, handler) {
    const stack = [];
    let re = root;
    let result;
    for (; ; ) {
      if (re.subs.length === 0) result = handler.leaf(re);
      else {
        const state = handler.enter(re);
        if (state.result === void 0) {
          stack.push({
            re,
            state,
            i: 0
          });
          re = re.subs[0];
          continue;
        }
        result = state.result;
      }
      for (; ; ) {
        if (stack.length === 0) return result;
        const frame = stack[stack.length - 1];
        handler.child(frame.re, frame.state, result, frame.i);
        frame.i++;
        if (frame.state.result === void 0 && frame.i < frame.re.subs.length) {
          re = frame.re.subs[frame.i];
          break;
        }
        stack.pop();
        result = frame.state.result !== void 0 ? frame.state.result : handler.leave(frame.re, frame.state);
      }
    }
  }
};
var AhoCorasick = class {
  constructor(words, alphabetSize) {
    const edges = /* @__PURE__ */ new Map();
    const parent = [0];
    const unit = [0];
    const depth = [0];
    const terminal = [0];
    for (const word of words) {
      let node = 0;
      for (let i = 0; i < word.length; i++) {
        const key2 = node * alphabetSize + word[i];
        let child2 = edges.get(key2);
        if (child2 === void 0) {
          child2 = parent.length;
          edges.set(key2, child2);
          parent.push(node);
          unit.push(word[i]);
          depth.push(depth[node] + 1);
          terminal.push(0);
        }
        node = child2;
      }
      terminal[node] = 1;
    }
    const numNodes = parent.length;
    const children = new Int32Array(numNodes - 1);
    for (let c = 1; c < numNodes; c++) children[c - 1] = c;
    children.sort((a, b) => parent[a] - parent[b] || unit[a] - unit[b]);
    const childStart = new Int32Array(numNodes + 1);
    for (let c = 1; c < numNodes; c++) childStart[parent[c] + 1]++;
    for (let n = 0; n < numNodes; n++) childStart[n + 1] += childStart[n];
    const childUnit = new Int32Array(numNodes - 1);
    for (let k = 0; k < children.length; k++) childUnit[k] = unit[children[k]];
    this.childStart = childStart;
    this.childUnit = childUnit;
    this.childNode = children;
    const byDepth = new Int32Array(numNodes);
    for (let n = 0; n < numNodes; n++) byDepth[n] = n;
    byDepth.sort((a, b) => depth[a] - depth[b]);
    const fail = new Int32Array(numNodes);
    const match = Uint8Array.from(terminal);
    for (let k = 1; k < numNodes; k++) {
      const c = byDepth[k];
      const p = parent[c];
      if (p !== 0) {
        let f = fail[p];
        let next = this.next(f, unit[c]);
        while (next < 0 && f !== 0) {
          f = fail[f];
          next = this.next(f, unit[c]);
        }
        fail[c] = next >= 0 ? next : 0;
      }
      match[c] |= match[fail[c]];
    }
    this.fail = fail;
    this.match = match;
  }
  next(node, u) {
    let lo = this.childStart[node];
    let hi = this.childStart[node + 1];
    const units = this.childUnit;
    while (lo < hi) {
      const mid = lo + hi >> 1;
      const m = units[mid];
      if (m === u) return this.childNode[mid];
      if (m < u) lo = mid + 1;
      else hi = mid;
    }
    return -1;
  }
  advance(node, u) {
    for (; ; ) {
      const next = this.next(node, u);
      if (next >= 0) return next;
      if (node === 0) return 0;
      node = this.fail[node];
    }
  }
  searchUTF16(charSeq, start, end) {
    let node = 0;
    for (let i = start; i < end; i++) {
      node = this.advance(node, charSeq.charCodeAt(i));
      if (this.match[node] === 1) return true;
    }
    return false;
  }
  searchUTF8(bytes, start, end) {
    let node = 0;
    for (let i = start; i < end; i++) {
      node = this.advance(node, bytes[i]);
      if (this.match[node] === 1) return true;
    }
    return false;
  }
};
var Prefilter = class Prefilter2 {
  static Type = {
    NONE: 0,
    EXACT: 1,
    AND: 2,
    OR: 3
  };
  static MAX_SCANS = 32;
  static MAX_AC_UNITS = 1 << 18;
  constructor(type) {
    this.type = type;
    this.subs = [];
    this.str = "";
    this.bytes = null;
    this.cost = type === Prefilter2.Type.EXACT ? 1 : 0;
    this.allExact = false;
    this.ac16 = null;
    this.ac8 = null;
  }
  automaton16() {
    if (this.ac16 === null) {
      const words = this.subs.map((s) => {
        const arr = new Array(s.str.length);
        for (let i = 0; i < s.str.length; i++) arr[i] = s.str.charCodeAt(i);
        return arr;
      });
      this.ac16 = new AhoCorasick(words, 65536);
    }
    return this.ac16;
  }
  automaton8() {
    if (this.ac8 === null) this.ac8 = new AhoCorasick(this.subs.map((s) => s.bytes), 256);
    return this.ac8;
  }
  eval(input, pos) {
    switch (this.type) {
      case Prefilter2.Type.NONE:
        return true;
      case Prefilter2.Type.EXACT:
        return input.hasString(this, pos);
      case Prefilter2.Type.AND:
        for (let i = 0; i < this.subs.length; i++) if (!this.subs[i].eval(input, pos)) return false;
        return true;
      case Prefilter2.Type.OR:
        if (this.allExact) return input.hasAnyString(this, pos);
        for (let i = 0; i < this.subs.length; i++) if (this.subs[i].eval(input, pos)) return true;
        return false;
      default:
        return true;
    }
  }
};
var PrefilterTree = class PrefilterTree2 {
  static build(re) {
    if (!re) return new Prefilter(Prefilter.Type.NONE);
    return RegexpWalker.walk(re, PrefilterTree2.WALKER);
  }
  static WALKER = {
    leaf: (re) => PrefilterTree2.leaf(re),
    enter: (re) => PrefilterTree2.enter(re),
    child: (re, state, result) => PrefilterTree2.child(re, state, result),
    leave: (re, state) => PrefilterTree2.leave(re, state)
  };
  static leaf(re) {
    if (re.op !== Regexp.Op.LITERAL) return new Prefilter(Prefilter.Type.NONE);
    if (re.runes.length === 0 || (re.flags & RE2Flags.FOLD_CASE) !== 0) return new Prefilter(Prefilter.Type.NONE);
    let str = "";
    for (let i = 0; i < re.runes.length; i++) {
      if (Unicode.isUnsearchable(re.runes[i])) return new Prefilter(Prefilter.Type.NONE);
      str += String.fromCodePoint(re.runes[i]);
    }
    const pf = new Prefilter(Prefilter.Type.EXACT);
    pf.str = str;
    pf.bytes = Utils.stringToUtf8ByteArray(pf.str);
    return pf;
  }
  static enter(re) {
    switch (re.op) {
      case Regexp.Op.CAPTURE:
      case Regexp.Op.PLUS:
        return { sub: null };
      case Regexp.Op.REPEAT:
        if (re.min >= 1) return { sub: null };
        return { result: new Prefilter(Prefilter.Type.NONE) };
      case Regexp.Op.CONCAT:
        return {
          pf: new Prefilter(Prefilter.Type.AND),
          subs: []
        };
      case Regexp.Op.ALTERNATE:
        return {
          pf: new Prefilter(Prefilter.Type.OR),
          subs: []
        };
      default:
        return { result: new Prefilter(Prefilter.Type.NONE) };
    }
  }
  static child(re, state, s) {
    if (state.subs === void 0) {
      state.sub = s;
      return;
    }
    if (state.pf.type === Prefilter.Type.AND) {
      if (s.type === Prefilter.Type.NONE) return;
      if (s.type === Prefilter.Type.AND) {
        for (let j = 0; j < s.subs.length; j++) state.subs.push(s.subs[j]);
        return;
      }
      state.subs.push(s);
      return;
    }
    if (s.type === Prefilter.Type.NONE) {
      state.result = new Prefilter(Prefilter.Type.NONE);
      return;
    }
    if (s.type === Prefilter.Type.OR) {
      for (let j = 0; j < s.subs.length; j++) state.subs.push(s.subs[j]);
      return;
    }
    state.subs.push(s);
  }
  static leave(re, state) {
    if (state.subs === void 0) return state.sub;
    const pf = state.pf;
    const seen = /* @__PURE__ */ new Set();
    const subs = [];
    for (const sub of state.subs) {
      if (sub.type === Prefilter.Type.EXACT) {
        if (seen.has(sub.str)) continue;
        seen.add(sub.str);
      }
      subs.push(sub);
    }
    if (pf.type === Prefilter.Type.AND) {
      const kept = [];
      let cost2 = 0;
      for (const sub of subs) {
        if (cost2 + sub.cost > Prefilter.MAX_SCANS) continue;
        kept.push(sub);
        cost2 += sub.cost;
      }
      if (kept.length === 0) return new Prefilter(Prefilter.Type.NONE);
      if (kept.length === 1) return kept[0];
      pf.subs = kept;
      pf.cost = cost2;
      return pf;
    }
    if (subs.length === 0) return new Prefilter(Prefilter.Type.NONE);
    if (subs.length === 1) return subs[0];
    pf.subs = subs;
    let allExact = true;
    let cost = 0;
    let units = 0;
    for (const sub of subs) {
      if (sub.type !== Prefilter.Type.EXACT) allExact = false;
      else units += sub.bytes.length;
      cost += sub.cost;
    }
    if (allExact) {
      if (units > Prefilter.MAX_AC_UNITS) return new Prefilter(Prefilter.Type.NONE);
      pf.allExact = true;
      pf.cost = 1;
      return pf;
    }
    if (cost > Prefilter.MAX_SCANS) return new Prefilter(Prefilter.Type.NONE);
    pf.cost = cost;
    return pf;
  }
};
var PatchList = class {
  /**
  * @param {number} head - Encoded pointer to the start of the patch list.
  * @param {number} tail - Encoded pointer to the end of the patch list.
  */
  constructor(head = 0, tail = 0) {
    this.head = head;
    this.tail = tail;
  }
};
var Prog = class {
  constructor() {
    this.inst = [];
    this.start = 0;
    this.numCap = 2;
    this.lbStarts = [];
    this.numLb = 0;
    this.lbInst = null;
  }
  getInst(pc) {
    return this.inst[pc];
  }
  numInst() {
    return this.inst.length;
  }
  addInst(op) {
    this.inst.push(new Inst(op));
  }
  markLookbehindInsts() {
    const lbInst = new Uint8Array(this.inst.length);
    const pending = this.lbStarts.slice();
    while (pending.length > 0) {
      const pc = pending.pop();
      if (pc === 0 || lbInst[pc] === 1) continue;
      lbInst[pc] = 1;
      const i = this.inst[pc];
      switch (i.op) {
        case Inst.ALT:
        case Inst.ALT_MATCH:
          pending.push(i.out, i.arg);
          break;
        case Inst.MATCH:
        case Inst.FAIL:
          break;
        default:
          pending.push(i.out);
      }
    }
    this.lbInst = lbInst;
  }
  skipNop(pc) {
    let i = this.inst[pc];
    while (i.op === Inst.NOP || i.op === Inst.CAPTURE) {
      i = this.inst[pc];
      pc = i.out;
    }
    return i;
  }
  /** @returns {[boolean, string]} */
  prefix() {
    let prefix = "";
    let i = this.skipNop(this.start);
    if (!Inst.isRuneOp(i.op) || i.runes.length !== 1) return [i.op === Inst.MATCH, prefix];
    while (Inst.isRuneOp(i.op) && i.runes.length === 1 && (i.arg & RE2Flags.FOLD_CASE) === 0 && !Unicode.isUnsearchable(i.runes[0])) {
      prefix += String.fromCodePoint(i.runes[0]);
      i = this.skipNop(i.out);
    }
    return [i.op === Inst.MATCH, prefix];
  }
  startCond() {
    let flag = 0;
    let pc = this.start;
    loop: for (; ; ) {
      const i = this.inst[pc];
      switch (i.op) {
        case Inst.EMPTY_WIDTH:
          flag |= i.arg;
          break;
        case Inst.FAIL:
          return -1;
        case Inst.CAPTURE:
        case Inst.NOP:
          break;
        default:
          break loop;
      }
      pc = i.out;
    }
    return flag;
  }
  patch(l, val) {
    let head = l.head;
    while (head !== 0) {
      const i = this.inst[head >> 1];
      if ((head & 1) === 0) {
        head = i.out;
        i.out = val;
      } else {
        head = i.arg;
        i.arg = val;
      }
    }
  }
  append(l1, l2) {
    if (l1.head === 0) return l2;
    if (l2.head === 0) return l1;
    const i = this.inst[l1.tail >> 1];
    if ((l1.tail & 1) === 0) i.out = l2.head;
    else i.arg = l2.head;
    return new PatchList(l1.head, l2.tail);
  }
  /**
  *
  * @returns {string}
  */
  toString() {
    let out = "";
    for (let pc = 0; pc < this.inst.length; pc++) {
      const len = out.length;
      out += pc;
      if (pc === this.start) out += "*";
      out += "        ".substring(out.length - len);
      out += this.inst[pc];
      out += "\n";
    }
    return out;
  }
};
var ANY_RUNE_NOT_NL = new Int32Array([
  0,
  Codepoint.CODES["\n"] - 1,
  Codepoint.CODES["\n"] + 1,
  Unicode.MAX_RUNE
]);
var ANY_RUNE = new Int32Array([0, Unicode.MAX_RUNE]);
var Frag = class {
  constructor(i = 0, out = new PatchList(), nullable = false) {
    this.i = i;
    this.out = out;
    this.nullable = nullable;
  }
};
var Compiler = class Compiler2 {
  static compileRegexp(re) {
    const c = new Compiler2();
    const f = c.compile(re);
    c.prog.patch(f.out, c.newInst(Inst.MATCH).i);
    c.prog.start = f.i;
    c.prog.markLookbehindInsts();
    return c.prog;
  }
  static compileSet(regexps) {
    const c = new Compiler2();
    if (regexps.length === 0) {
      c.prog.start = c.newInst(Inst.FAIL).i;
      c.prog.markLookbehindInsts();
      return c.prog;
    }
    let starts = [];
    for (let i = 0; i < regexps.length; i++) {
      c.lbOffset = c.prog.numLb;
      const f = c.compile(regexps[i]);
      const m = c.newInst(Inst.MATCH);
      c.prog.getInst(m.i).arg = i;
      c.prog.patch(f.out, m.i);
      starts.push(f.i);
    }
    let start = starts[0];
    for (let i = 1; i < starts.length; i++) {
      const f = c.newInst(Inst.ALT);
      const inst = c.prog.getInst(f.i);
      inst.out = start;
      inst.arg = starts[i];
      start = f.i;
    }
    c.prog.start = start;
    c.prog.markLookbehindInsts();
    return c.prog;
  }
  constructor() {
    this.prog = new Prog();
    this.newInst(Inst.FAIL);
    this.lbOffset = 0;
    this.runeCache = /* @__PURE__ */ new Map();
    this.walker = {
      leaf: (re) => this.leaf(re),
      enter: (re) => this.enter(re),
      child: (re, state, result) => this.child(re, state, result),
      leave: (re, state) => this.leave(re, state)
    };
  }
  newInst(op) {
    this.prog.addInst(op);
    return new Frag(this.prog.numInst() - 1, new PatchList(), true);
  }
  nop() {
    const f = this.newInst(Inst.NOP);
    f.out = new PatchList(f.i << 1, f.i << 1);
    return f;
  }
  fail() {
    return new Frag();
  }
  cap(arg) {
    const f = this.newInst(Inst.CAPTURE);
    f.out = new PatchList(f.i << 1, f.i << 1);
    this.prog.getInst(f.i).arg = arg;
    if (this.prog.numCap < arg + 1) this.prog.numCap = arg + 1;
    return f;
  }
  cat(f1, f2) {
    if (f1.i === 0 || f2.i === 0) {
      this.prog.patch(f1.out, 0);
      this.prog.patch(f2.out, 0);
      return this.fail();
    }
    this.prog.patch(f1.out, f2.i);
    return new Frag(f1.i, f2.out, f1.nullable && f2.nullable);
  }
  alt(f1, f2) {
    if (f1.i === 0) return f2;
    if (f2.i === 0) return f1;
    const f = this.newInst(Inst.ALT);
    const i = this.prog.getInst(f.i);
    i.out = f1.i;
    i.arg = f2.i;
    f.out = this.prog.append(f1.out, f2.out);
    f.nullable = f1.nullable || f2.nullable;
    return f;
  }
  loop(f1, nongreedy) {
    const f = this.newInst(Inst.ALT);
    const i = this.prog.getInst(f.i);
    if (nongreedy) {
      i.arg = f1.i;
      f.out = new PatchList(f.i << 1, f.i << 1);
    } else {
      i.out = f1.i;
      f.out = new PatchList(f.i << 1 | 1, f.i << 1 | 1);
    }
    this.prog.patch(f1.out, f.i);
    return f;
  }
  quest(f1, nongreedy) {
    if (f1.i === 0) return this.nop();
    const f = this.newInst(Inst.ALT);
    const i = this.prog.getInst(f.i);
    if (nongreedy) {
      i.arg = f1.i;
      f.out = new PatchList(f.i << 1, f.i << 1);
    } else {
      i.out = f1.i;
      f.out = new PatchList(f.i << 1 | 1, f.i << 1 | 1);
    }
    f.out = this.prog.append(f.out, f1.out);
    return f;
  }
  star(f1, nongreedy) {
    if (f1.i === 0) return this.nop();
    if (f1.nullable) return this.quest(this.plus(f1, nongreedy), nongreedy);
    return this.loop(f1, nongreedy);
  }
  plus(f1, nongreedy) {
    if (f1.i === 0) return this.fail();
    return new Frag(f1.i, this.loop(f1, nongreedy).out, f1.nullable);
  }
  empty(op) {
    const f = this.newInst(Inst.EMPTY_WIDTH);
    this.prog.getInst(f.i).arg = op;
    f.out = new PatchList(f.i << 1, f.i << 1);
    return f;
  }
  rune(runes, flags) {
    const f = this.newInst(Inst.RUNE);
    f.nullable = false;
    const i = this.prog.getInst(f.i);
    i.runes = runes;
    flags &= RE2Flags.FOLD_CASE;
    if (runes.length !== 1 || Unicode.simpleFold(runes[0]) === runes[0]) flags &= ~RE2Flags.FOLD_CASE;
    i.arg = flags;
    f.out = new PatchList(f.i << 1, f.i << 1);
    if ((flags & RE2Flags.FOLD_CASE) === 0 && runes.length === 1 || runes.length === 2 && runes[0] === runes[1]) i.op = Inst.RUNE1;
    else if (runes.length === 2 && runes[0] === 0 && runes[1] === Unicode.MAX_RUNE) i.op = Inst.RUNE_ANY;
    else if (runes.length === 4 && runes[0] === 0 && runes[1] === Codepoint.CODES["\n"] - 1 && runes[2] === Codepoint.CODES["\n"] + 1 && runes[3] === Unicode.MAX_RUNE) i.op = Inst.RUNE_ANY_NOT_NL;
    return f;
  }
  lookBehind(a, parsedLb) {
    const lb = Math.sign(parsedLb) * (Math.abs(parsedLb) + this.lbOffset);
    const id = this.newInst(Inst.LB_WRITE);
    this.prog.getInst(id.i).arg = lb;
    const any = this.rune(ANY_RUNE, 0);
    const dotStar = this.star(any, true);
    const lbAutomaton = this.cat(dotStar, a);
    this.prog.patch(lbAutomaton.out, id.i);
    const checkId = this.newInst(Inst.LB_CHECK);
    this.prog.getInst(checkId.i).arg = lb;
    this.prog.lbStarts.push(lbAutomaton.i);
    if (Math.abs(lb) > this.prog.numLb) this.prog.numLb = Math.abs(lb);
    checkId.out = new PatchList(checkId.i << 1, checkId.i << 1);
    return checkId;
  }
  compile(re) {
    return RegexpWalker.walk(re, this.walker);
  }
  leaf(re) {
    switch (re.op) {
      case Regexp.Op.NO_MATCH:
        return this.fail();
      case Regexp.Op.EMPTY_MATCH:
        return this.nop();
      case Regexp.Op.LITERAL: {
        if (re.runes.length === 0) return this.nop();
        let f = null;
        for (let r2 of re.runes) {
          let singleRune = this.runeCache.get(r2);
          if (singleRune === void 0) {
            singleRune = new Int32Array([r2]);
            this.runeCache.set(r2, singleRune);
          }
          const f1 = this.rune(singleRune, re.flags);
          f = f === null ? f1 : this.cat(f, f1);
        }
        return f;
      }
      case Regexp.Op.CHAR_CLASS:
        return this.rune(re.runes, re.flags);
      case Regexp.Op.ANY_CHAR_NOT_NL:
        return this.rune(ANY_RUNE_NOT_NL, 0);
      case Regexp.Op.ANY_CHAR:
        return this.rune(ANY_RUNE, 0);
      case Regexp.Op.BEGIN_LINE:
        return this.empty(Utils.EMPTY_BEGIN_LINE);
      case Regexp.Op.END_LINE:
        return this.empty(Utils.EMPTY_END_LINE);
      case Regexp.Op.BEGIN_TEXT:
        return this.empty(Utils.EMPTY_BEGIN_TEXT);
      case Regexp.Op.END_TEXT:
        return this.empty(Utils.EMPTY_END_TEXT);
      case Regexp.Op.WORD_BOUNDARY:
        return this.empty(Utils.EMPTY_WORD_BOUNDARY);
      case Regexp.Op.NO_WORD_BOUNDARY:
        return this.empty(Utils.EMPTY_NO_WORD_BOUNDARY);
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return this.nop();
      default:
        throw new RE2JSCompileException("regexp: unhandled case in compile");
    }
  }
  enter(re) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.STAR:
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        return { sub: null };
      case Regexp.Op.CAPTURE:
        return {
          bra: this.cap(re.cap << 1),
          sub: null
        };
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return { f: null };
      default:
        throw new RE2JSCompileException("regexp: unhandled case in compile");
    }
  }
  child(re, state, f1) {
    if (re.op === Regexp.Op.CONCAT) state.f = state.f === null ? f1 : this.cat(state.f, f1);
    else if (re.op === Regexp.Op.ALTERNATE) state.f = state.f === null ? f1 : this.alt(state.f, f1);
    else state.sub = f1;
  }
  leave(re, state) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
        return this.lookBehind(state.sub, re.lb);
      case Regexp.Op.CAPTURE: {
        const ket = this.cap(re.cap << 1 | 1);
        return this.cat(this.cat(state.bra, state.sub), ket);
      }
      case Regexp.Op.STAR:
        return this.star(state.sub, (re.flags & RE2Flags.NON_GREEDY) !== 0);
      case Regexp.Op.PLUS:
        return this.plus(state.sub, (re.flags & RE2Flags.NON_GREEDY) !== 0);
      case Regexp.Op.QUEST:
        return this.quest(state.sub, (re.flags & RE2Flags.NON_GREEDY) !== 0);
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return state.f;
      default:
        throw new RE2JSCompileException("regexp: unhandled case in compile");
    }
  }
};
var Simplify = class Simplify2 {
  static simplify(re) {
    if (re === null) return null;
    return RegexpWalker.walk(re, Simplify2.WALKER);
  }
  static WALKER = {
    leaf: (re) => Simplify2.leaf(re),
    enter: (re) => Simplify2.enter(re),
    child: (re, state, result, i) => Simplify2.child(re, state, result, i),
    leave: (re, state) => Simplify2.leave(re, state)
  };
  static leaf(re) {
    if (re.op === Regexp.Op.CHAR_CLASS) {
      if (re.runes === null) return re;
      if (re.runes.length === 0) return new Regexp(Regexp.Op.NO_MATCH);
      if (re.runes.length === 2 && re.runes[0] === 0 && re.runes[1] === Unicode.MAX_RUNE) return new Regexp(Regexp.Op.ANY_CHAR);
      if (re.runes.length === 4 && re.runes[0] === 0 && re.runes[1] === Codepoint.CODES["\n"] - 1 && re.runes[2] === Codepoint.CODES["\n"] + 1 && re.runes[3] === Unicode.MAX_RUNE) return new Regexp(Regexp.Op.ANY_CHAR_NOT_NL);
    }
    return re;
  }
  static enter(re) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.CAPTURE:
      case Regexp.Op.STAR:
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        return { sub: null };
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        return {
          subs: [],
          changed: false
        };
      case Regexp.Op.REPEAT:
        if (re.min === 0 && re.max === 0) return { result: new Regexp(Regexp.Op.EMPTY_MATCH) };
        return { sub: null };
      default:
        return { result: re };
    }
  }
  static child(re, state, nsub, i) {
    if (state.subs === void 0) {
      state.sub = nsub;
      return;
    }
    if (nsub !== re.subs[i]) state.changed = true;
    if (re.op === Regexp.Op.CONCAT) {
      if (nsub.op === Regexp.Op.NO_MATCH) {
        state.result = new Regexp(Regexp.Op.NO_MATCH);
        return;
      }
      if (nsub.op === Regexp.Op.EMPTY_MATCH) {
        state.changed = true;
        return;
      }
      if (nsub.op === Regexp.Op.CONCAT) {
        state.changed = true;
        for (let j = 0; j < nsub.subs.length; j++) state.subs.push(nsub.subs[j]);
        return;
      }
    } else {
      if (nsub.op === Regexp.Op.NO_MATCH) {
        state.changed = true;
        return;
      }
      if (nsub.op === Regexp.Op.ALTERNATE) {
        state.changed = true;
        for (let j = 0; j < nsub.subs.length; j++) state.subs.push(nsub.subs[j]);
        return;
      }
    }
    state.subs.push(nsub);
  }
  static leave(re, state) {
    switch (re.op) {
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.CAPTURE: {
        const sub = state.sub;
        if (sub !== re.subs[0]) {
          const nre = Regexp.fromRegexp(re);
          nre.runes = /* @__PURE__ */ new Int32Array(0);
          nre.subs = [sub];
          return nre;
        }
        return re;
      }
      case Regexp.Op.CONCAT:
      case Regexp.Op.ALTERNATE:
        if (state.changed) {
          const newSubs = state.subs;
          if (newSubs.length === 0) return new Regexp(re.op === Regexp.Op.CONCAT ? Regexp.Op.EMPTY_MATCH : Regexp.Op.NO_MATCH);
          if (newSubs.length === 1) return newSubs[0];
          const nre = Regexp.fromRegexp(re);
          nre.runes = /* @__PURE__ */ new Int32Array(0);
          nre.subs = newSubs;
          return nre;
        }
        return re;
      case Regexp.Op.STAR:
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        return Simplify2.simplify1(re.op, re.flags, state.sub, re);
      case Regexp.Op.REPEAT:
        return Simplify2.simplifyRepeat(re, state.sub);
      default:
        return re;
    }
  }
  static simplifyRepeat(re, sub) {
    if (re.max === -1) {
      if (re.min === 0) return Simplify2.simplify1(Regexp.Op.STAR, re.flags, sub, null);
      if (re.min === 1) return Simplify2.simplify1(Regexp.Op.PLUS, re.flags, sub, null);
      const subs = [];
      for (let i = 0; i < re.min - 1; i++) subs.push(sub);
      subs.push(Simplify2.simplify1(Regexp.Op.PLUS, re.flags, sub, null));
      return Simplify2.concat(subs);
    }
    if (re.min === 1 && re.max === 1) return sub;
    let prefixSubs = null;
    if (re.min > 0) {
      prefixSubs = [];
      for (let i = 0; i < re.min; i++) prefixSubs.push(sub);
    }
    if (re.max > re.min) {
      let suffix = Simplify2.simplify1(Regexp.Op.QUEST, re.flags, sub, null);
      for (let i = re.min + 1; i < re.max; i++) suffix = Simplify2.simplify1(Regexp.Op.QUEST, re.flags, Simplify2.concat([sub, suffix]), null);
      if (prefixSubs === null) return suffix;
      prefixSubs.push(suffix);
    }
    if (prefixSubs !== null) return Simplify2.concat(prefixSubs);
    return new Regexp(Regexp.Op.NO_MATCH);
  }
  static concat(subs) {
    const newSubs = [];
    for (let i = 0; i < subs.length; i++) {
      const sub = subs[i];
      if (sub.op === Regexp.Op.NO_MATCH) return new Regexp(Regexp.Op.NO_MATCH);
      if (sub.op === Regexp.Op.EMPTY_MATCH) continue;
      if (sub.op === Regexp.Op.CONCAT) {
        for (let j = 0; j < sub.subs.length; j++) newSubs.push(sub.subs[j]);
        continue;
      }
      newSubs.push(sub);
    }
    if (newSubs.length === 0) return new Regexp(Regexp.Op.EMPTY_MATCH);
    if (newSubs.length === 1) return newSubs[0];
    const nre = new Regexp(Regexp.Op.CONCAT);
    nre.subs = newSubs;
    return nre;
  }
  static simplify1(op, flags, sub, re) {
    if (sub.op === Regexp.Op.EMPTY_MATCH) return sub;
    if (sub.op === Regexp.Op.NO_MATCH) {
      if (op === Regexp.Op.PLUS) return sub;
      return new Regexp(Regexp.Op.EMPTY_MATCH);
    }
    if (op === sub.op && (flags & RE2Flags.NON_GREEDY) === (sub.flags & RE2Flags.NON_GREEDY)) return sub;
    if (re !== null && re.op === op && (re.flags & RE2Flags.NON_GREEDY) === (flags & RE2Flags.NON_GREEDY) && sub === re.subs[0]) return re;
    const nre = new Regexp(op);
    nre.flags = flags;
    nre.subs = [sub];
    return nre;
  }
};
var CharGroup = class {
  constructor(sign, cls) {
    this.sign = sign;
    this.cls = cls;
  }
};
var code1 = [48, 57];
var code2 = [
  9,
  10,
  12,
  13,
  32,
  32
];
var code3 = [
  48,
  57,
  65,
  90,
  95,
  95,
  97,
  122
];
var PERL_GROUPS = /* @__PURE__ */ new Map([
  ["\\d", new CharGroup(1, code1)],
  ["\\D", new CharGroup(-1, code1)],
  ["\\s", new CharGroup(1, code2)],
  ["\\S", new CharGroup(-1, code2)],
  ["\\w", new CharGroup(1, code3)],
  ["\\W", new CharGroup(-1, code3)]
]);
var code4 = [
  48,
  57,
  65,
  90,
  97,
  122
];
var code5 = [
  65,
  90,
  97,
  122
];
var code6 = [0, 127];
var code7 = [
  9,
  9,
  32,
  32
];
var code8 = [
  0,
  31,
  127,
  127
];
var code9 = [48, 57];
var code10 = [33, 126];
var code11 = [97, 122];
var code12 = [32, 126];
var code13 = [
  33,
  47,
  58,
  64,
  91,
  96,
  123,
  126
];
var code14 = [
  9,
  13,
  32,
  32
];
var code15 = [65, 90];
var code16 = [
  48,
  57,
  65,
  90,
  95,
  95,
  97,
  122
];
var code17 = [
  48,
  57,
  65,
  70,
  97,
  102
];
var POSIX_GROUPS = /* @__PURE__ */ new Map([
  ["[:alnum:]", new CharGroup(1, code4)],
  ["[:^alnum:]", new CharGroup(-1, code4)],
  ["[:alpha:]", new CharGroup(1, code5)],
  ["[:^alpha:]", new CharGroup(-1, code5)],
  ["[:ascii:]", new CharGroup(1, code6)],
  ["[:^ascii:]", new CharGroup(-1, code6)],
  ["[:blank:]", new CharGroup(1, code7)],
  ["[:^blank:]", new CharGroup(-1, code7)],
  ["[:cntrl:]", new CharGroup(1, code8)],
  ["[:^cntrl:]", new CharGroup(-1, code8)],
  ["[:digit:]", new CharGroup(1, code9)],
  ["[:^digit:]", new CharGroup(-1, code9)],
  ["[:graph:]", new CharGroup(1, code10)],
  ["[:^graph:]", new CharGroup(-1, code10)],
  ["[:lower:]", new CharGroup(1, code11)],
  ["[:^lower:]", new CharGroup(-1, code11)],
  ["[:print:]", new CharGroup(1, code12)],
  ["[:^print:]", new CharGroup(-1, code12)],
  ["[:punct:]", new CharGroup(1, code13)],
  ["[:^punct:]", new CharGroup(-1, code13)],
  ["[:space:]", new CharGroup(1, code14)],
  ["[:^space:]", new CharGroup(-1, code14)],
  ["[:upper:]", new CharGroup(1, code15)],
  ["[:^upper:]", new CharGroup(-1, code15)],
  ["[:word:]", new CharGroup(1, code16)],
  ["[:^word:]", new CharGroup(-1, code16)],
  ["[:xdigit:]", new CharGroup(1, code17)],
  ["[:^xdigit:]", new CharGroup(-1, code17)]
]);
var CharClass = class CharClass2 {
  static charClassToString(r2, len) {
    let result = "[";
    for (let i = 0; i < len; i += 2) {
      if (i > 0) result += " ";
      const lo = r2[i];
      const hi = r2[i + 1];
      if (lo === hi) result += `0x${lo.toString(16)}`;
      else result += `0x${lo.toString(16)}-0x${hi.toString(16)}`;
    }
    result += "]";
    return result;
  }
  static sortRanges(array, len) {
    const n = len >> 1;
    const order2 = new Array(n);
    for (let i = 0; i < n; i++) order2[i] = i;
    order2.sort((a, b) => array[2 * a] - array[2 * b] || array[2 * b + 1] - array[2 * a + 1]);
    const sorted = array.slice(0, len);
    for (let i = 0; i < n; i++) {
      array[2 * i] = sorted[2 * order2[i]];
      array[2 * i + 1] = sorted[2 * order2[i] + 1];
    }
  }
  /**
  * @param {number[]|Int32Array} [r]
  */
  constructor(r2 = Utils.emptyInts()) {
    this.r = r2;
    this.len = r2.length;
  }
  toArray() {
    if (this.r instanceof Int32Array) return this.len === this.r.length ? this.r : this.r.subarray(0, this.len);
    return new Int32Array(this.len === this.r.length ? this.r : this.r.slice(0, this.len));
  }
  toGrowableArray() {
    if (Array.isArray(this.r)) {
      this.r.length = this.len;
      return this.r;
    }
    return Array.from(this.r.subarray(0, this.len));
  }
  cleanClass() {
    if (this.len < 4) return this;
    CharClass2.sortRanges(this.r, this.len);
    let w = 2;
    for (let i = 2; i < this.len; i += 2) {
      const lo = this.r[i];
      const hi = this.r[i + 1];
      if (lo <= this.r[w - 1] + 1) {
        if (hi > this.r[w - 1]) this.r[w - 1] = hi;
        continue;
      }
      this.r[w] = lo;
      this.r[w + 1] = hi;
      w += 2;
    }
    this.len = w;
    return this;
  }
  appendLiteral(x, flags) {
    return (flags & RE2Flags.FOLD_CASE) !== 0 ? this.appendFoldedRange(x, x) : this.appendRange(x, x);
  }
  appendRange(lo, hi) {
    if (this.len > 0) {
      for (let i = 2; i <= 4; i += 2) if (this.len >= i) {
        const rlo = this.r[this.len - i];
        const rhi = this.r[this.len - i + 1];
        if (lo <= rhi + 1 && rlo <= hi + 1) {
          if (lo < rlo) this.r[this.len - i] = lo;
          if (hi > rhi) this.r[this.len - i + 1] = hi;
          return this;
        }
      }
    }
    this.r[this.len++] = lo;
    this.r[this.len++] = hi;
    return this;
  }
  appendFoldedRange(lo, hi) {
    if (lo <= Unicode.MIN_FOLD && hi >= Unicode.MAX_FOLD) return this.appendRange(lo, hi);
    if (hi < Unicode.MIN_FOLD || lo > Unicode.MAX_FOLD) return this.appendRange(lo, hi);
    if (lo < Unicode.MIN_FOLD) {
      this.appendRange(lo, Unicode.MIN_FOLD - 1);
      lo = Unicode.MIN_FOLD;
    }
    if (hi > Unicode.MAX_FOLD) {
      this.appendRange(Unicode.MAX_FOLD + 1, hi);
      hi = Unicode.MAX_FOLD;
    }
    for (let c = lo; c <= hi; c++) {
      this.appendRange(c, c);
      for (let f = Unicode.simpleFold(c); f !== c; f = Unicode.simpleFold(f)) this.appendRange(f, f);
    }
    return this;
  }
  appendClass(x) {
    for (let i = 0; i < x.length; i += 2) this.appendRange(x[i], x[i + 1]);
    return this;
  }
  appendFoldedClass(x) {
    for (let i = 0; i < x.length; i += 2) this.appendFoldedRange(x[i], x[i + 1]);
    return this;
  }
  appendNegatedClass(x) {
    let nextLo = 0;
    for (let i = 0; i < x.length; i += 2) {
      const lo = x[i];
      const hi = x[i + 1];
      if (nextLo <= lo - 1) this.appendRange(nextLo, lo - 1);
      nextLo = hi + 1;
    }
    if (nextLo <= Unicode.MAX_RUNE) this.appendRange(nextLo, Unicode.MAX_RUNE);
    return this;
  }
  appendTable(table) {
    for (let i = 0; i < table.length; ++i) {
      const lo = table.getLo(i);
      const hi = table.getHi(i);
      const stride = table.getStride(i);
      if (stride === 1) {
        this.appendRange(lo, hi);
        continue;
      }
      for (let c = lo; c <= hi; c += stride) this.appendRange(c, c);
    }
    return this;
  }
  appendNegatedTable(table) {
    let nextLo = 0;
    for (let i = 0; i < table.length; ++i) {
      const lo = table.getLo(i);
      const hi = table.getHi(i);
      const stride = table.getStride(i);
      if (stride === 1) {
        if (nextLo <= lo - 1) this.appendRange(nextLo, lo - 1);
        nextLo = hi + 1;
        continue;
      }
      for (let c = lo; c <= hi; c += stride) {
        if (nextLo <= c - 1) this.appendRange(nextLo, c - 1);
        nextLo = c + 1;
      }
    }
    if (nextLo <= Unicode.MAX_RUNE) this.appendRange(nextLo, Unicode.MAX_RUNE);
    return this;
  }
  appendTableWithSign(table, sign) {
    return sign < 0 ? this.appendNegatedTable(table) : this.appendTable(table);
  }
  negateClass() {
    let nextLo = 0;
    let w = 0;
    for (let i = 0; i < this.len; i += 2) {
      const lo = this.r[i];
      const hi = this.r[i + 1];
      if (nextLo <= lo - 1) {
        this.r[w] = nextLo;
        this.r[w + 1] = lo - 1;
        w += 2;
      }
      nextLo = hi + 1;
    }
    this.len = w;
    if (nextLo <= Unicode.MAX_RUNE) {
      this.r[this.len++] = nextLo;
      this.r[this.len++] = Unicode.MAX_RUNE;
    }
    return this;
  }
  appendClassWithSign(x, sign) {
    return sign < 0 ? this.appendNegatedClass(x) : this.appendClass(x);
  }
  appendGroup(g, foldCase) {
    let cls = g.cls;
    if (foldCase) cls = new CharClass2().appendFoldedClass(cls).cleanClass().toArray();
    return this.appendClassWithSign(cls, g.sign);
  }
  toString() {
    return CharClass2.charClassToString(this.r, this.len);
  }
};
var StringIterator = class {
  constructor(str) {
    this.str = str;
    this.position = 0;
  }
  pos() {
    return this.position;
  }
  rewindTo(pos) {
    this.position = pos;
  }
  more() {
    return this.position < this.str.length;
  }
  peek() {
    return this.str.codePointAt(this.position);
  }
  skip(n) {
    this.position += n;
  }
  skipString(s) {
    this.position += s.length;
  }
  pop() {
    const r2 = this.str.codePointAt(this.position);
    this.position += Utils.charCount(r2);
    return r2;
  }
  lookingAt(s) {
    return this.str.startsWith(s, this.position);
  }
  rest() {
    return this.str.substring(this.position);
  }
  from(beforePos) {
    return this.str.substring(beforePos, this.position);
  }
  toString() {
    return this.rest();
  }
};
var Parser = class Parser2 {
  static ERR_INTERNAL_ERROR = "regexp/syntax: internal error";
  static ERR_INVALID_CHAR_RANGE = "invalid character class range";
  static ERR_INVALID_ESCAPE = "invalid escape sequence";
  static ERR_INVALID_NAMED_CAPTURE = "invalid named capture";
  static ERR_INVALID_PERL_OP = "invalid or unsupported Perl syntax";
  static ERR_INVALID_REPEAT_OP = "invalid nested repetition operator";
  static ERR_INVALID_REPEAT_SIZE = "invalid repeat count";
  static ERR_MISSING_BRACKET = "missing closing ]";
  static ERR_MISSING_PAREN = "missing closing )";
  static ERR_MISSING_REPEAT_ARGUMENT = "missing argument to repetition operator";
  static ERR_TRAILING_BACKSLASH = "trailing backslash at end of expression";
  static ERR_DUPLICATE_NAMED_CAPTURE = "duplicate capture group name";
  static ERR_UNEXPECTED_PAREN = "unexpected )";
  static ERR_NESTING_DEPTH = "expression nests too deeply";
  static ERR_LARGE = "expression too large";
  static ERR_INVALID_CAPTURE_IN_LOOKBEHIND = "invalid capture in lookbehind";
  static MAX_HEIGHT = 1e3;
  static MAX_SIZE = 1398101;
  static MAX_RUNES = 33554432;
  static ANY_TABLE = new UnicodeRangeTable(new Uint32Array([
    0,
    Unicode.MAX_RUNE,
    1
  ]));
  static ASCII_TABLE = new UnicodeRangeTable(new Uint32Array([
    0,
    127,
    1
  ]));
  static ASCII_FOLD_TABLE = new UnicodeRangeTable(new Uint32Array([
    0,
    127,
    1,
    383,
    383,
    1,
    8490,
    8490,
    1
  ]));
  static unicodeTable(name) {
    if (name === "Any") return {
      tab: Parser2.ANY_TABLE,
      fold: Parser2.ANY_TABLE,
      sign: 1
    };
    if (name === "Ascii") return {
      tab: Parser2.ASCII_TABLE,
      fold: Parser2.ASCII_FOLD_TABLE,
      sign: 1
    };
    if (name === "Assigned") return {
      tab: UnicodeTables.CATEGORIES.get("Cn"),
      fold: UnicodeTables.CATEGORIES.get("Cn"),
      sign: -1
    };
    if (name === "Lc") return {
      tab: UnicodeTables.CATEGORIES.get("LC"),
      fold: UnicodeTables.FOLD_CATEGORIES.get("LC"),
      sign: 1
    };
    if (UnicodeTables.CATEGORIES.has(name)) return {
      tab: UnicodeTables.CATEGORIES.get(name),
      fold: UnicodeTables.FOLD_CATEGORIES.get(name),
      sign: 1
    };
    if (UnicodeTables.SCRIPTS.has(name)) return {
      tab: UnicodeTables.SCRIPTS.get(name),
      fold: UnicodeTables.FOLD_SCRIPT.get(name),
      sign: 1
    };
    return null;
  }
  static minFoldRune(r2) {
    if (r2 < Unicode.MIN_FOLD || r2 > Unicode.MAX_FOLD) return r2;
    let min = r2;
    const r0 = r2;
    for (r2 = Unicode.simpleFold(r2); r2 !== r0; r2 = Unicode.simpleFold(r2)) if (min > r2) min = r2;
    return min;
  }
  static leadingRegexp(re) {
    if (re.op === Regexp.Op.EMPTY_MATCH) return null;
    if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) {
      const sub = re.subs[0];
      if (sub.op === Regexp.Op.EMPTY_MATCH) return null;
      return sub;
    }
    return re;
  }
  static literalRegexp(s, flags) {
    const re = new Regexp(Regexp.Op.LITERAL);
    re.flags = flags;
    re.runes = Utils.stringToRunes(s);
    return re;
  }
  /**
  * Parse regular expression pattern {@code pattern} with mode flags {@code flags}.
  * @param {string} pattern
  * @param {number} flags
  */
  static parse(pattern, flags) {
    return new Parser2(pattern, flags).parseInternal();
  }
  static parseRepeat(t) {
    const start = t.pos();
    if (!t.more() || !t.lookingAt("{")) return -1;
    t.skip(1);
    const min = Parser2.parseInt(t);
    if (min === -1) return -1;
    if (!t.more()) return -1;
    let max;
    if (!t.lookingAt(",")) max = min;
    else {
      t.skip(1);
      if (!t.more()) return -1;
      if (t.lookingAt("}")) max = -1;
      else if ((max = Parser2.parseInt(t)) === -1) return -1;
    }
    if (!t.more() || !t.lookingAt("}")) return -1;
    t.skip(1);
    if (min < 0 || min > 1e3 || max === -2 || max > 1e3 || max >= 0 && min > max) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_REPEAT_SIZE, t.from(start));
    return min << 16 | max & Unicode.MAX_BMP;
  }
  static isValidCaptureName(name) {
    if (name.length === 0) return false;
    for (let i = 0; i < name.length; i++) {
      const c = name.codePointAt(i);
      if (c !== Codepoint.CODES["_"] && !Utils.isalnum(c)) return false;
    }
    return true;
  }
  static parseInt(t) {
    const start = t.pos();
    while (t.more() && t.peek() >= Codepoint.CODES["0"] && t.peek() <= Codepoint.CODES["9"]) t.skip(1);
    const n = t.from(start);
    if (n.length === 0 || n.length > 1 && n.codePointAt(0) === Codepoint.CODES["0"]) return -1;
    if (n.length > 8) return -2;
    return parseInt(n, 10);
  }
  static isCharClass(re) {
    return re.op === Regexp.Op.LITERAL && re.runes.length === 1 || re.op === Regexp.Op.CHAR_CLASS || re.op === Regexp.Op.ANY_CHAR_NOT_NL || re.op === Regexp.Op.ANY_CHAR;
  }
  static matchRune(re, r2) {
    switch (re.op) {
      case Regexp.Op.LITERAL:
        return re.runes.length === 1 && re.runes[0] === r2;
      case Regexp.Op.CHAR_CLASS:
        for (let i = 0; i < re.runes.length; i += 2) if (re.runes[i] <= r2 && r2 <= re.runes[i + 1]) return true;
        return false;
      case Regexp.Op.ANY_CHAR_NOT_NL:
        return r2 !== Codepoint.CODES["\n"];
      case Regexp.Op.ANY_CHAR:
        return true;
    }
    return false;
  }
  static mergeCharClass(dst, src) {
    switch (dst.op) {
      case Regexp.Op.ANY_CHAR:
        break;
      case Regexp.Op.ANY_CHAR_NOT_NL:
        if (Parser2.matchRune(src, Codepoint.CODES["\n"])) dst.op = Regexp.Op.ANY_CHAR;
        break;
      case Regexp.Op.CHAR_CLASS: {
        const cc = new CharClass(Array.isArray(dst.runes) ? dst.runes : Array.from(dst.runes));
        if (src.op === Regexp.Op.LITERAL) cc.appendLiteral(src.runes[0], src.flags);
        else cc.appendClass(src.runes);
        dst.runes = cc.toGrowableArray();
        break;
      }
      case Regexp.Op.LITERAL:
        if (src.runes[0] === dst.runes[0] && src.flags === dst.flags) break;
        dst.op = Regexp.Op.CHAR_CLASS;
        dst.runes = new CharClass().appendLiteral(dst.runes[0], dst.flags).appendLiteral(src.runes[0], src.flags).toGrowableArray();
    }
  }
  static parseEscape(t) {
    const startPos = t.pos();
    t.skip(1);
    if (!t.more()) throw new RE2JSSyntaxException(Parser2.ERR_TRAILING_BACKSLASH);
    let c = t.pop();
    bigswitch: switch (c) {
      case Codepoint.CODES["1"]:
      case Codepoint.CODES["2"]:
      case Codepoint.CODES["3"]:
      case Codepoint.CODES["4"]:
      case Codepoint.CODES["5"]:
      case Codepoint.CODES["6"]:
      case Codepoint.CODES["7"]:
        if (!t.more() || t.peek() < Codepoint.CODES["0"] || t.peek() > Codepoint.CODES["7"]) break;
      case Codepoint.CODES["0"]: {
        let r2 = c - Codepoint.CODES["0"];
        for (let i = 1; i < 3; i++) {
          if (!t.more() || t.peek() < Codepoint.CODES["0"] || t.peek() > Codepoint.CODES["7"]) break;
          r2 = r2 * 8 + t.peek() - Codepoint.CODES["0"];
          t.skip(1);
        }
        return r2;
      }
      case Codepoint.CODES["x"]: {
        if (!t.more()) break;
        c = t.pop();
        if (c === Codepoint.CODES["{"]) {
          let nhex = 0;
          let r2 = 0;
          while (true) {
            if (!t.more()) break bigswitch;
            c = t.pop();
            if (c === Codepoint.CODES["}"]) break;
            const v = Utils.unhex(c);
            if (v < 0) break bigswitch;
            r2 = r2 * 16 + v;
            if (r2 > Unicode.MAX_RUNE) break bigswitch;
            nhex++;
          }
          if (nhex === 0) break bigswitch;
          return r2;
        }
        const x = Utils.unhex(c);
        if (!t.more()) break;
        c = t.pop();
        const y = Utils.unhex(c);
        if (x < 0 || y < 0) break;
        return x * 16 + y;
      }
      case Codepoint.CODES["a"]:
        return Codepoint.CODES["\x07"];
      case Codepoint.CODES["f"]:
        return Codepoint.CODES["\f"];
      case Codepoint.CODES["n"]:
        return Codepoint.CODES["\n"];
      case Codepoint.CODES["r"]:
        return Codepoint.CODES["\r"];
      case Codepoint.CODES["t"]:
        return Codepoint.CODES["	"];
      case Codepoint.CODES["v"]:
        return Codepoint.CODES["\v"];
      default:
        if (c <= Unicode.MAX_ASCII && !Utils.isalnum(c)) return c;
    }
    throw new RE2JSSyntaxException(Parser2.ERR_INVALID_ESCAPE, t.from(startPos));
  }
  static parseClassChar(t, wholeClassPos) {
    if (!t.more()) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_BRACKET, t.from(wholeClassPos));
    if (t.lookingAt("\\")) return Parser2.parseEscape(t);
    return t.pop();
  }
  static hasCapture(re) {
    if (re === null) return false;
    if (re.op === Regexp.Op.CAPTURE) return true;
    if (re.subs) {
      for (let sub of re.subs) if (Parser2.hasCapture(sub)) return true;
    }
    return false;
  }
  constructor(wholeRegexp, flags = 0) {
    this.wholeRegexp = wholeRegexp;
    this.flags = flags;
    this.numCap = 0;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.stack = [];
    this.free = null;
    this.numRegexp = 0;
    this.numRunes = 0;
    this.repeats = 0;
    this.height = null;
    this.size = null;
    this.nlb = 0;
  }
  newRegexp(op) {
    let re = this.free;
    if (re !== null && re.subs !== null && re.subs.length > 0) {
      this.free = re.subs[0];
      re.reinit();
      re.op = op;
    } else {
      re = new Regexp(op);
      this.numRegexp += 1;
    }
    return re;
  }
  reuse(re) {
    if (this.height !== null && this.height.has(re)) this.height.delete(re);
    if (re.subs !== null && re.subs.length > 0) re.subs[0] = this.free;
    this.free = re;
  }
  checkLimits(re) {
    if (this.numRunes > Parser2.MAX_RUNES) throw new RE2JSSyntaxException(Parser2.ERR_LARGE);
    this.checkSize(re);
    this.checkHeight(re);
  }
  checkSize(re) {
    if (this.size === null) {
      if (this.repeats === 0) this.repeats = 1;
      if (re.op === Regexp.Op.REPEAT) {
        let n = re.max;
        if (n === -1) n = re.min;
        if (n <= 0) n = 1;
        if (n > Math.floor(Parser2.MAX_SIZE / this.repeats)) this.repeats = Parser2.MAX_SIZE;
        else this.repeats *= n;
      }
      if (this.numRegexp < Math.floor(Parser2.MAX_SIZE / this.repeats)) return;
      this.size = /* @__PURE__ */ new Map();
      for (let reEx of this.stack) this.checkSize(reEx);
    }
    if (this.calcSize(re, true) > Parser2.MAX_SIZE) throw new RE2JSSyntaxException(Parser2.ERR_LARGE);
  }
  calcSize(re, force = false) {
    if (!force && this.size !== null) {
      if (this.size.has(re)) return this.size.get(re);
    }
    let size2 = 0;
    switch (re.op) {
      case Regexp.Op.LITERAL:
        size2 = re.runes.length;
        break;
      case Regexp.Op.PLB:
      case Regexp.Op.NLB:
      case Regexp.Op.CAPTURE:
      case Regexp.Op.STAR:
        size2 = 2 + this.calcSize(re.subs[0]);
        break;
      case Regexp.Op.PLUS:
      case Regexp.Op.QUEST:
        size2 = 1 + this.calcSize(re.subs[0]);
        break;
      case Regexp.Op.CONCAT:
        for (let sub of re.subs) size2 = size2 + this.calcSize(sub);
        break;
      case Regexp.Op.ALTERNATE:
        for (let sub of re.subs) size2 = size2 + this.calcSize(sub);
        if (re.subs.length > 1) size2 = size2 + re.subs.length - 1;
        break;
      case Regexp.Op.REPEAT: {
        let sub = this.calcSize(re.subs[0]);
        if (re.max === -1) {
          if (re.min === 0) size2 = 2 + sub;
          else size2 = 1 + re.min * sub;
          break;
        }
        size2 = re.max * sub + (re.max - re.min);
        break;
      }
    }
    size2 = Math.max(1, size2);
    if (this.size === null) this.size = /* @__PURE__ */ new Map();
    this.size.set(re, size2);
    return size2;
  }
  checkHeight(re) {
    if (this.numRegexp < Parser2.MAX_HEIGHT) return;
    if (this.height === null) {
      this.height = /* @__PURE__ */ new Map();
      for (let reEx of this.stack) this.checkHeight(reEx);
    }
    if (this.calcHeight(re, true) > Parser2.MAX_HEIGHT) throw new RE2JSSyntaxException(Parser2.ERR_NESTING_DEPTH);
  }
  calcHeight(re, force = false) {
    if (!force && this.height !== null) {
      if (this.height.has(re)) return this.height.get(re);
    }
    let h = 1;
    for (let sub of re.subs) {
      const hsub = this.calcHeight(sub);
      if (h < 1 + hsub) h = 1 + hsub;
    }
    if (this.height === null) this.height = /* @__PURE__ */ new Map();
    this.height.set(re, h);
    return h;
  }
  pop() {
    return this.stack.pop();
  }
  popToPseudo() {
    const n = this.stack.length;
    let i = n;
    while (i > 0 && !Regexp.isPseudoOp(this.stack[i - 1].op)) i--;
    return this.stack.splice(i, n - i);
  }
  push(re) {
    this.numRunes += re.runes.length;
    if (re.op === Regexp.Op.CHAR_CLASS && re.runes.length === 2 && re.runes[0] === re.runes[1]) {
      if (this.maybeConcat(re.runes[0], this.flags & ~RE2Flags.FOLD_CASE)) return null;
      re.op = Regexp.Op.LITERAL;
      re.runes = [re.runes[0]];
      re.flags = this.flags & ~RE2Flags.FOLD_CASE;
    } else if (re.op === Regexp.Op.CHAR_CLASS && re.runes.length === 4 && re.runes[0] === re.runes[1] && re.runes[2] === re.runes[3] && Unicode.simpleFold(re.runes[0]) === re.runes[2] && Unicode.simpleFold(re.runes[2]) === re.runes[0] || re.op === Regexp.Op.CHAR_CLASS && re.runes.length === 2 && re.runes[0] + 1 === re.runes[1] && Unicode.simpleFold(re.runes[0]) === re.runes[1] && Unicode.simpleFold(re.runes[1]) === re.runes[0]) {
      if (this.maybeConcat(re.runes[0], this.flags | RE2Flags.FOLD_CASE)) return null;
      re.op = Regexp.Op.LITERAL;
      re.runes = [re.runes[0]];
      re.flags = this.flags | RE2Flags.FOLD_CASE;
    } else this.maybeConcat(-1, 0);
    this.stack.push(re);
    this.checkLimits(re);
    return re;
  }
  maybeConcat(r2, flags) {
    const n = this.stack.length;
    if (n < 2) return false;
    const re1 = this.stack[n - 1];
    const re2 = this.stack[n - 2];
    if (re1.op !== Regexp.Op.LITERAL || re2.op !== Regexp.Op.LITERAL || (re1.flags & RE2Flags.FOLD_CASE) !== (re2.flags & RE2Flags.FOLD_CASE)) return false;
    if (!Array.isArray(re2.runes)) re2.runes = Array.from(re2.runes);
    for (let i = 0; i < re1.runes.length; i++) re2.runes.push(re1.runes[i]);
    if (r2 >= 0) {
      re1.runes = [r2];
      re1.flags = flags;
      return true;
    }
    this.pop();
    this.reuse(re1);
    return false;
  }
  newLiteral(r2, flags) {
    const re = this.newRegexp(Regexp.Op.LITERAL);
    re.flags = flags;
    if ((flags & RE2Flags.FOLD_CASE) !== 0) r2 = Parser2.minFoldRune(r2);
    re.runes = [r2];
    return re;
  }
  literal(r2) {
    this.push(this.newLiteral(r2, this.flags));
  }
  op(op) {
    const re = this.newRegexp(op);
    re.flags = this.flags;
    return this.push(re);
  }
  repeat(op, min, max, beforePos, t, lastRepeatPos) {
    let flags = this.flags;
    if ((flags & RE2Flags.PERL_X) !== 0) {
      if (t.more() && t.lookingAt("?")) {
        t.skip(1);
        flags ^= RE2Flags.NON_GREEDY;
      }
      if (lastRepeatPos !== -1) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_REPEAT_OP, t.from(lastRepeatPos));
    }
    const n = this.stack.length;
    if (n === 0) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_REPEAT_ARGUMENT, t.from(beforePos));
    const sub = this.stack[n - 1];
    if (Regexp.isPseudoOp(sub.op)) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_REPEAT_ARGUMENT, t.from(beforePos));
    const re = this.newRegexp(op);
    re.min = min;
    re.max = max;
    re.flags = flags;
    re.subs = [sub];
    this.stack[n - 1] = re;
    this.checkLimits(re);
    if (op === Regexp.Op.REPEAT && (min >= 2 || max >= 2) && !this.repeatIsValid(re, 1e3)) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_REPEAT_SIZE, t.from(beforePos));
  }
  repeatIsValid(re, n) {
    if (re.op === Regexp.Op.REPEAT) {
      let m = re.max;
      if (m === 0) return true;
      if (m < 0) m = re.min;
      if (m > n) return false;
      if (m > 0) n = Math.trunc(n / m);
    }
    for (let sub of re.subs) if (!this.repeatIsValid(sub, n)) return false;
    return true;
  }
  concat() {
    this.maybeConcat(-1, 0);
    const subs = this.popToPseudo();
    if (subs.length === 0) return this.push(this.newRegexp(Regexp.Op.EMPTY_MATCH));
    return this.push(this.collapse(subs, Regexp.Op.CONCAT));
  }
  alternate() {
    const subs = this.popToPseudo();
    if (subs.length > 0) this.cleanAlt(subs[subs.length - 1]);
    if (subs.length === 0) return this.push(this.newRegexp(Regexp.Op.NO_MATCH));
    return this.push(this.collapse(subs, Regexp.Op.ALTERNATE));
  }
  cleanAlt(re) {
    if (re.op === Regexp.Op.CHAR_CLASS) {
      re.runes = new CharClass(Array.from(re.runes)).cleanClass().toArray();
      if (re.runes.length === 2 && re.runes[0] === 0 && re.runes[1] === Unicode.MAX_RUNE) {
        re.runes = /* @__PURE__ */ new Int32Array(0);
        re.op = Regexp.Op.ANY_CHAR;
      } else if (re.runes.length === 4 && re.runes[0] === 0 && re.runes[1] === Codepoint.CODES["\n"] - 1 && re.runes[2] === Codepoint.CODES["\n"] + 1 && re.runes[3] === Unicode.MAX_RUNE) {
        re.runes = /* @__PURE__ */ new Int32Array(0);
        re.op = Regexp.Op.ANY_CHAR_NOT_NL;
      }
    }
  }
  collapse(subs, op) {
    if (subs.length === 1) return subs[0];
    let len = 0;
    for (let sub of subs) len += sub.op === op ? sub.subs.length : 1;
    let newsubs = new Array(len).fill(null);
    let i = 0;
    for (let sub of subs) if (sub.op === op) {
      for (let j = 0; j < sub.subs.length; j++) newsubs[i++] = sub.subs[j];
      this.reuse(sub);
    } else newsubs[i++] = sub;
    let re = this.newRegexp(op);
    re.subs = newsubs;
    if (op === Regexp.Op.ALTERNATE) {
      re.subs = this.factor(re.subs);
      if (re.subs.length === 1) {
        const old = re;
        re = re.subs[0];
        this.reuse(old);
      }
    }
    return re;
  }
  factor(array) {
    if (array.length < 2) return array;
    let s = 0;
    let lensub = array.length;
    let lenout = 0;
    let str = null;
    let strlen = 0;
    let strflags = 0;
    let start = 0;
    for (let i = 0; i <= lensub; i++) {
      let istr = null;
      let istrlen = 0;
      let iflags = 0;
      if (i < lensub) {
        let re = array[s + i];
        if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) re = re.subs[0];
        if (re.op === Regexp.Op.LITERAL) {
          istr = re.runes;
          istrlen = re.runes.length;
          iflags = re.flags & RE2Flags.FOLD_CASE;
        }
        if (iflags === strflags) {
          let same = 0;
          while (same < strlen && same < istrlen && str[same] === istr[same]) same++;
          if (same > 0) {
            strlen = same;
            continue;
          }
        }
      }
      if (i === start) {
      } else if (i === start + 1) array[lenout++] = array[s + start];
      else {
        const prefix = this.newRegexp(Regexp.Op.LITERAL);
        prefix.flags = strflags;
        prefix.runes = str.slice(0, strlen);
        for (let j = start; j < i; j++) {
          array[s + j] = this.removeLeadingString(array[s + j], strlen);
          this.checkLimits(array[s + j]);
        }
        const suffix = this.collapse(array.slice(s + start, s + i), Regexp.Op.ALTERNATE);
        const re = this.newRegexp(Regexp.Op.CONCAT);
        re.subs = [prefix, suffix];
        array[lenout++] = re;
      }
      start = i;
      str = istr;
      strlen = istrlen;
      strflags = iflags;
    }
    lensub = lenout;
    s = 0;
    start = 0;
    lenout = 0;
    let first = null;
    for (let i = 0; i <= lensub; i++) {
      let ifirst = null;
      if (i < lensub) {
        ifirst = Parser2.leadingRegexp(array[s + i]);
        if (first !== null && first.equals(ifirst) && (Parser2.isCharClass(first) || first.op === Regexp.Op.REPEAT && first.min === first.max && Parser2.isCharClass(first.subs[0]))) continue;
      }
      if (i === start) {
      } else if (i === start + 1) array[lenout++] = array[s + start];
      else {
        const prefix = first;
        for (let j = start; j < i; j++) {
          const reuse = j !== start;
          array[s + j] = this.removeLeadingRegexp(array[s + j], reuse);
          this.checkLimits(array[s + j]);
        }
        const suffix = this.collapse(array.slice(s + start, s + i), Regexp.Op.ALTERNATE);
        const re = this.newRegexp(Regexp.Op.CONCAT);
        re.subs = [prefix, suffix];
        array[lenout++] = re;
      }
      start = i;
      first = ifirst;
    }
    lensub = lenout;
    s = 0;
    start = 0;
    lenout = 0;
    for (let i = 0; i <= lensub; i++) {
      if (i < lensub && Parser2.isCharClass(array[s + i])) continue;
      if (i === start) {
      } else if (i === start + 1) array[lenout++] = array[s + start];
      else {
        let max = start;
        for (let j = start + 1; j < i; j++) {
          const subMax = array[s + max];
          const subJ = array[s + j];
          if (subMax.op < subJ.op || subMax.op === subJ.op && (subMax.runes !== null ? subMax.runes.length : 0) < (subJ.runes !== null ? subJ.runes.length : 0)) max = j;
        }
        const tmp = array[s + start];
        array[s + start] = array[s + max];
        array[s + max] = tmp;
        for (let j = start + 1; j < i; j++) {
          Parser2.mergeCharClass(array[s + start], array[s + j]);
          this.reuse(array[s + j]);
        }
        this.cleanAlt(array[s + start]);
        array[lenout++] = array[s + start];
      }
      if (i < lensub) array[lenout++] = array[s + i];
      start = i + 1;
    }
    lensub = lenout;
    s = 0;
    start = 0;
    lenout = 0;
    for (let i = 0; i < lensub; ++i) {
      if (i + 1 < lensub && array[s + i].op === Regexp.Op.EMPTY_MATCH && array[s + i + 1].op === Regexp.Op.EMPTY_MATCH) continue;
      array[lenout++] = array[s + i];
    }
    lensub = lenout;
    s = 0;
    return array.slice(s, lensub);
  }
  removeLeadingString(re, n) {
    if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) {
      const sub = this.removeLeadingString(re.subs[0], n);
      re.subs[0] = sub;
      if (sub.op === Regexp.Op.EMPTY_MATCH) {
        this.reuse(sub);
        switch (re.subs.length) {
          case 0:
          case 1:
            re.op = Regexp.Op.EMPTY_MATCH;
            re.subs = Regexp.emptySubs();
            break;
          case 2: {
            const old = re;
            re = re.subs[1];
            this.reuse(old);
            break;
          }
          default:
            re.subs = re.subs.slice(1, re.subs.length);
        }
      }
      return re;
    }
    if (re.op === Regexp.Op.LITERAL) {
      re.runes = re.runes.slice(n, re.runes.length);
      if (re.runes.length === 0) re.op = Regexp.Op.EMPTY_MATCH;
    }
    return re;
  }
  removeLeadingRegexp(re, reuse) {
    if (re.op === Regexp.Op.CONCAT && re.subs.length > 0) {
      if (reuse) this.reuse(re.subs[0]);
      re.subs = re.subs.slice(1, re.subs.length);
      switch (re.subs.length) {
        case 0:
          re.op = Regexp.Op.EMPTY_MATCH;
          re.subs = Regexp.emptySubs();
          break;
        case 1: {
          const old = re;
          re = re.subs[0];
          this.reuse(old);
          break;
        }
      }
      return re;
    }
    if (reuse) this.reuse(re);
    return this.newRegexp(Regexp.Op.EMPTY_MATCH);
  }
  parseInternal() {
    if ((this.flags & RE2Flags.LITERAL) !== 0) return Parser2.literalRegexp(this.wholeRegexp, this.flags);
    let lastRepeatPos = -1;
    let min = -1;
    let max = -1;
    const t = new StringIterator(this.wholeRegexp);
    while (t.more()) {
      let repeatPos = -1;
      bigswitch: switch (t.peek()) {
        case Codepoint.CODES["("]:
          if ((this.flags & RE2Flags.LOOKBEHIND) !== 0) {
            if (t.lookingAt("(?<=")) {
              this.parsePosLookBehind();
              t.skip(4);
              break;
            }
            if (t.lookingAt("(?<!")) {
              this.parseNegLookBehind();
              t.skip(4);
              break;
            }
          }
          if ((this.flags & RE2Flags.PERL_X) !== 0 && t.lookingAt("(?")) {
            this.parsePerlFlags(t);
            break;
          }
          this.op(Regexp.Op.LEFT_PAREN).cap = ++this.numCap;
          t.skip(1);
          break;
        case Codepoint.CODES["|"]:
          this.parseVerticalBar();
          t.skip(1);
          break;
        case Codepoint.CODES[")"]:
          this.parseRightParen();
          t.skip(1);
          break;
        case Codepoint.CODES["^"]:
          if ((this.flags & RE2Flags.ONE_LINE) !== 0) this.op(Regexp.Op.BEGIN_TEXT);
          else this.op(Regexp.Op.BEGIN_LINE);
          t.skip(1);
          break;
        case Codepoint.CODES["$"]:
          if ((this.flags & RE2Flags.ONE_LINE) !== 0) this.op(Regexp.Op.END_TEXT).flags |= RE2Flags.WAS_DOLLAR;
          else this.op(Regexp.Op.END_LINE);
          t.skip(1);
          break;
        case Codepoint.CODES["."]:
          if ((this.flags & RE2Flags.DOT_NL) !== 0) this.op(Regexp.Op.ANY_CHAR);
          else this.op(Regexp.Op.ANY_CHAR_NOT_NL);
          t.skip(1);
          break;
        case Codepoint.CODES["["]:
          this.parseClass(t);
          break;
        case Codepoint.CODES["*"]:
        case Codepoint.CODES["+"]:
        case Codepoint.CODES["?"]: {
          repeatPos = t.pos();
          let op = null;
          switch (t.pop()) {
            case Codepoint.CODES["*"]:
              op = Regexp.Op.STAR;
              break;
            case Codepoint.CODES["+"]:
              op = Regexp.Op.PLUS;
              break;
            case Codepoint.CODES["?"]:
              op = Regexp.Op.QUEST;
          }
          this.repeat(op, min, max, repeatPos, t, lastRepeatPos);
          break;
        }
        case Codepoint.CODES["{"]: {
          const before = t.pos();
          const minMax = Parser2.parseRepeat(t);
          if (minMax < 0) {
            t.rewindTo(before);
            this.literal(t.pop());
            break;
          }
          repeatPos = before;
          min = minMax >> 16;
          max = (minMax & Unicode.MAX_BMP) << 16 >> 16;
          this.repeat(Regexp.Op.REPEAT, min, max, repeatPos, t, lastRepeatPos);
          break;
        }
        case Codepoint.CODES["\\"]: {
          const savedPos = t.pos();
          t.skip(1);
          if ((this.flags & RE2Flags.PERL_X) !== 0 && t.more()) switch (t.pop()) {
            case Codepoint.CODES["A"]:
              this.op(Regexp.Op.BEGIN_TEXT);
              break bigswitch;
            case Codepoint.CODES["b"]:
              this.op(Regexp.Op.WORD_BOUNDARY);
              break bigswitch;
            case Codepoint.CODES["B"]:
              this.op(Regexp.Op.NO_WORD_BOUNDARY);
              break bigswitch;
            case Codepoint.CODES["C"]:
              throw new RE2JSSyntaxException(Parser2.ERR_INVALID_ESCAPE, "\\C");
            case Codepoint.CODES["Q"]: {
              let lit = t.rest();
              const i = lit.indexOf("\\E");
              if (i >= 0) {
                lit = lit.substring(0, i);
                t.skipString(lit);
                t.skipString("\\E");
              } else t.skipString(lit);
              let j = 0;
              while (j < lit.length) {
                const codepoint = lit.codePointAt(j);
                this.literal(codepoint);
                j += Utils.charCount(codepoint);
              }
              break bigswitch;
            }
            case Codepoint.CODES["z"]:
              this.op(Regexp.Op.END_TEXT);
              break bigswitch;
            default:
              t.rewindTo(savedPos);
          }
          else t.rewindTo(savedPos);
          const re = this.newRegexp(Regexp.Op.CHAR_CLASS);
          re.flags = this.flags;
          if (t.lookingAt("\\p") || t.lookingAt("\\P")) {
            const cc2 = new CharClass();
            if (this.parseUnicodeClass(t, cc2)) {
              re.runes = cc2.toArray();
              this.push(re);
              break bigswitch;
            }
          }
          const cc = new CharClass();
          if (this.parsePerlClassEscape(t, cc)) {
            re.runes = cc.toArray();
            this.push(re);
            break bigswitch;
          }
          t.rewindTo(savedPos);
          this.reuse(re);
          this.literal(Parser2.parseEscape(t));
          break;
        }
        default:
          this.literal(t.pop());
      }
      lastRepeatPos = repeatPos;
    }
    this.concat();
    if (this.swapVerticalBar()) this.pop();
    this.alternate();
    if (this.stack.length !== 1) throw new RE2JSSyntaxException(Parser2.ERR_MISSING_PAREN, this.wholeRegexp);
    this.stack[0].namedGroups = this.namedGroups;
    return this.stack[0];
  }
  parsePerlFlags(t) {
    const startPos = t.pos();
    const s = t.rest();
    if (s.startsWith("(?P<") || s.startsWith("(?<")) {
      const begin = s.charAt(2) === "P" ? 4 : 3;
      const end = s.indexOf(">");
      if (end < 0) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_NAMED_CAPTURE, s);
      const name = s.substring(begin, end);
      t.skipString(name);
      t.skip(begin + 1);
      if (!Parser2.isValidCaptureName(name)) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_NAMED_CAPTURE, s.substring(0, end + 1));
      const re = this.op(Regexp.Op.LEFT_PAREN);
      re.cap = ++this.numCap;
      if (this.namedGroups[name]) throw new RE2JSSyntaxException(Parser2.ERR_DUPLICATE_NAMED_CAPTURE, name);
      this.namedGroups[name] = this.numCap;
      re.name = name;
      return;
    }
    t.skip(2);
    let flags = this.flags;
    let sign = 1;
    let sawFlag = false;
    loop: while (t.more()) {
      const c = t.pop();
      switch (c) {
        case Codepoint.CODES["i"]:
          flags |= RE2Flags.FOLD_CASE;
          sawFlag = true;
          break;
        case Codepoint.CODES["m"]:
          flags &= ~RE2Flags.ONE_LINE;
          sawFlag = true;
          break;
        case Codepoint.CODES["s"]:
          flags |= RE2Flags.DOT_NL;
          sawFlag = true;
          break;
        case Codepoint.CODES["U"]:
          flags |= RE2Flags.NON_GREEDY;
          sawFlag = true;
          break;
        case Codepoint.CODES["-"]:
          if (sign < 0) break loop;
          sign = -1;
          flags = ~flags;
          sawFlag = false;
          break;
        case Codepoint.CODES[":"]:
        case Codepoint.CODES[")"]:
          if (sign < 0) {
            if (!sawFlag) break loop;
            flags = ~flags;
          }
          if (c === Codepoint.CODES[":"]) this.op(Regexp.Op.LEFT_PAREN);
          this.flags = flags;
          return;
        default:
          break loop;
      }
    }
    throw new RE2JSSyntaxException(Parser2.ERR_INVALID_PERL_OP, t.from(startPos));
  }
  parsePosLookBehind() {
    const re = this.newRegexp(Regexp.Op.LEFT_PAREN);
    re.flags = this.flags;
    re.lb = ++this.nlb;
    return this.push(re);
  }
  parseNegLookBehind() {
    const re = this.newRegexp(Regexp.Op.LEFT_PAREN);
    re.flags = this.flags;
    re.lb = -++this.nlb;
    return this.push(re);
  }
  parseVerticalBar() {
    this.concat();
    if (!this.swapVerticalBar()) this.op(Regexp.Op.VERTICAL_BAR);
  }
  swapVerticalBar() {
    const n = this.stack.length;
    if (n >= 3 && this.stack[n - 2].op === Regexp.Op.VERTICAL_BAR && Parser2.isCharClass(this.stack[n - 1]) && Parser2.isCharClass(this.stack[n - 3])) {
      let re1 = this.stack[n - 1];
      let re3 = this.stack[n - 3];
      if (re1.op > re3.op) {
        const tmp = re3;
        re3 = re1;
        re1 = tmp;
        this.stack[n - 3] = re3;
      }
      Parser2.mergeCharClass(re3, re1);
      this.reuse(re1);
      this.pop();
      return true;
    }
    if (n >= 2) {
      const re1 = this.stack[n - 1];
      const re2 = this.stack[n - 2];
      if (re2.op === Regexp.Op.VERTICAL_BAR) {
        if (n >= 3) this.cleanAlt(this.stack[n - 3]);
        this.stack[n - 2] = re1;
        this.stack[n - 1] = re2;
        return true;
      }
    }
    return false;
  }
  parseRightParen() {
    this.concat();
    if (this.swapVerticalBar()) this.pop();
    this.alternate();
    if (this.stack.length < 2) throw new RE2JSSyntaxException(Parser2.ERR_UNEXPECTED_PAREN, this.wholeRegexp);
    const re1 = this.pop();
    const re2 = this.pop();
    if (re2.op !== Regexp.Op.LEFT_PAREN) throw new RE2JSSyntaxException(Parser2.ERR_UNEXPECTED_PAREN, this.wholeRegexp);
    this.flags = re2.flags;
    if (re2.lb !== 0) {
      if (Parser2.hasCapture(re1)) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CAPTURE_IN_LOOKBEHIND, this.wholeRegexp);
      if (re2.lb > 0) re2.op = Regexp.Op.PLB;
      else re2.op = Regexp.Op.NLB;
      re2.subs = [re1];
      this.push(re2);
      return;
    }
    if (re2.cap === 0) this.push(re1);
    else {
      re2.op = Regexp.Op.CAPTURE;
      re2.subs = [re1];
      this.push(re2);
    }
  }
  parsePerlClassEscape(t, cc) {
    const beforePos = t.pos();
    if ((this.flags & RE2Flags.PERL_X) === 0 || !t.more() || t.pop() !== Codepoint.CODES["\\"] || !t.more()) return false;
    t.pop();
    const p = t.from(beforePos);
    const g = PERL_GROUPS.has(p) ? PERL_GROUPS.get(p) : null;
    if (g === null) return false;
    cc.appendGroup(g, (this.flags & RE2Flags.FOLD_CASE) !== 0);
    return true;
  }
  parseNamedClass(t, cc) {
    const cls = t.rest();
    const i = cls.indexOf(":]");
    if (i < 0) return false;
    const name = cls.substring(0, i + 2);
    t.skipString(name);
    const g = POSIX_GROUPS.has(name) ? POSIX_GROUPS.get(name) : null;
    if (g === null) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, name);
    cc.appendGroup(g, (this.flags & RE2Flags.FOLD_CASE) !== 0);
    return true;
  }
  parseUnicodeClass(t, cc) {
    const startPos = t.pos();
    if ((this.flags & RE2Flags.UNICODE_GROUPS) === 0 || !t.lookingAt("\\p") && !t.lookingAt("\\P")) return false;
    t.skip(1);
    let sign = 1;
    let c = t.pop();
    if (c === Codepoint.CODES["P"]) sign = -1;
    if (!t.more()) {
      t.rewindTo(startPos);
      throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.rest());
    }
    c = t.pop();
    let name;
    if (c !== Codepoint.CODES["{"]) name = Utils.runeToString(c);
    else {
      const rest = t.rest();
      const end = rest.indexOf("}");
      if (end < 0) {
        t.rewindTo(startPos);
        throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.rest());
      }
      name = rest.substring(0, end);
      t.skipString(name);
      t.skip(1);
    }
    if (!(name.length === 0) && name.codePointAt(0) === Codepoint.CODES["^"]) {
      sign = 0 - sign;
      name = name.substring(1);
    }
    const pair = Parser2.unicodeTable(name);
    if (pair === null) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.from(startPos));
    if (pair.sign < 0) sign = 0 - sign;
    const tab = pair.tab;
    const fold = pair.fold;
    if ((this.flags & RE2Flags.FOLD_CASE) === 0 || fold === null) cc.appendTableWithSign(tab, sign);
    else {
      const tmp = new CharClass().appendTable(tab).appendTable(fold).cleanClass().toArray();
      cc.appendClassWithSign(Array.from(tmp), sign);
    }
    return true;
  }
  parseClass(t) {
    const startPos = t.pos();
    t.skip(1);
    const re = this.newRegexp(Regexp.Op.CHAR_CLASS);
    re.flags = this.flags;
    const cc = new CharClass();
    let sign = 1;
    if (t.more() && t.lookingAt("^")) {
      sign = -1;
      t.skip(1);
      if ((this.flags & RE2Flags.CLASS_NL) === 0) cc.appendRange(Codepoint.CODES["\n"], Codepoint.CODES["\n"]);
    }
    let first = true;
    while (!t.more() || t.peek() !== Codepoint.CODES["]"] || first) {
      if (t.more() && t.lookingAt("-") && (this.flags & RE2Flags.PERL_X) === 0 && !first) {
        const s = t.rest();
        if (s === "-" || !s.startsWith("-]")) {
          t.rewindTo(startPos);
          throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.rest());
        }
      }
      first = false;
      const beforePos = t.pos();
      if (t.lookingAt("[:")) {
        if (this.parseNamedClass(t, cc)) continue;
        t.rewindTo(beforePos);
      }
      if (this.parseUnicodeClass(t, cc)) continue;
      if (this.parsePerlClassEscape(t, cc)) continue;
      t.rewindTo(beforePos);
      const lo = Parser2.parseClassChar(t, startPos);
      let hi = lo;
      if (t.more() && t.lookingAt("-")) {
        t.skip(1);
        if (t.more() && t.lookingAt("]")) t.skip(-1);
        else {
          hi = Parser2.parseClassChar(t, startPos);
          if (hi < lo) throw new RE2JSSyntaxException(Parser2.ERR_INVALID_CHAR_RANGE, t.from(beforePos));
        }
      }
      if ((this.flags & RE2Flags.FOLD_CASE) === 0) cc.appendRange(lo, hi);
      else cc.appendFoldedRange(lo, hi);
    }
    t.skip(1);
    cc.cleanClass();
    if (sign < 0) cc.negateClass();
    re.runes = cc.toArray();
    this.push(re);
  }
};
var RE2 = class RE22 {
  static initTest(expr) {
    const re2 = RE22.compile(expr);
    const res = new RE22(re2.expr, re2.prog, re2.numSubexp, re2.longest);
    res.cond = re2.cond;
    res.prefix = re2.prefix;
    res.prefixUTF8 = re2.prefixUTF8;
    res.prefixComplete = re2.prefixComplete;
    res.prefixRune = re2.prefixRune;
    res.prefilter = re2.prefilter;
    res.namedGroups = re2.namedGroups;
    return res;
  }
  /**
  * Parses a regular expression and returns, if successful, an {@code RE2} instance that can be
  * used to match against text.
  *
  * When matching against text, the regexp returns a match that begins as early as possible in the
  * input (leftmost), and among those it chooses the one that a backtracking search would have
  * found first. This so-called leftmost-first matching is the same semantics that Perl, Python,
  * and other implementations use, although this package implements it without the expense of
  * backtracking. For POSIX leftmost-longest matching, see {@link #compilePOSIX}.
  */
  static compile(expr) {
    return RE22.compileImpl(expr, RE2Flags.PERL, false);
  }
  /**
  * {@code compilePOSIX} is like {@link #compile} but restricts the regular expression to POSIX ERE
  * (egrep) syntax and changes the match semantics to leftmost-longest.
  *
  * That is, when matching against text, the regexp returns a match that begins as early as
  * possible in the input (leftmost), and among those it chooses a match that is as long as
  * possible. This so-called leftmost-longest matching is the same semantics that early regular
  * expression implementations used and that POSIX specifies.
  *
  * However, there can be multiple leftmost-longest matches, with different submatch choices, and
  * here this package diverges from POSIX. Among the possible leftmost-longest matches, this
  * package chooses the one that a backtracking search would have found first, while POSIX
  * specifies that the match be chosen to maximize the length of the first subexpression, then the
  * second, and so on from left to right. The POSIX rule is computationally prohibitive and not
  * even well-defined. See http://swtch.com/~rsc/regexp/regexp2.html#posix
  */
  static compilePOSIX(expr) {
    return RE22.compileImpl(expr, RE2Flags.POSIX, true);
  }
  static compileImpl(expr, mode, longest) {
    let re = Parser.parse(expr, mode);
    const maxCap = re.maxCap();
    const namedGroups = re.namedGroups;
    re = Simplify.simplify(re);
    const prefilter = PrefilterTree.build(re);
    const prog = Compiler.compileRegexp(re);
    const re2 = new RE22(expr, prog, maxCap, longest);
    re2.prefilter = prefilter.type === Prefilter.Type.NONE ? null : prefilter;
    const [prefixCompl, prefixStr] = prog.prefix();
    re2.prefixComplete = prefixCompl;
    re2.prefix = prefixStr;
    re2.prefixUTF8 = Utils.stringToUtf8ByteArray(re2.prefix);
    if (re2.prefix.length > 0) re2.prefixRune = re2.prefix.codePointAt(0);
    re2.namedGroups = namedGroups;
    return re2;
  }
  /**
  * Returns true iff textual regular expression {@code pattern} matches string {@code s}.
  *
  * More complicated queries need to use {@link #compile} and the full {@code RE2} interface.
  */
  static match(pattern, s) {
    return RE22.compile(pattern).match(s);
  }
  constructor(expr, prog, numSubexp = 0, longest = 0) {
    this.expr = expr;
    this.prog = prog;
    this.numSubexp = numSubexp;
    this.longest = longest;
    this.cond = prog.startCond();
    this.prefix = null;
    this.prefixUTF8 = null;
    this.prefixComplete = false;
    this.prefixRune = 0;
    this.namedGroups = /* @__PURE__ */ Object.create(null);
    this.machinePool = [];
    this.lazyDFA = null;
    this.onepass = OnePass.compile(this.prog);
    this.prefilter = null;
  }
  get dfa() {
    if (this.lazyDFA === null) this.lazyDFA = new DFA(this.prog);
    return this.lazyDFA;
  }
  matchPrefixComplete(input, pos, anchor, ncap) {
    if ((anchor === RE2Flags.ANCHOR_START || anchor === RE2Flags.ANCHOR_BOTH) && pos !== 0) return null;
    let matchStart = -1;
    let matchEnd = -1;
    const pLen = input.prefixLength(this);
    if (anchor === RE2Flags.UNANCHORED) {
      const idx = input.index(this, pos);
      if (idx < 0) return null;
      matchStart = pos + idx;
      matchEnd = matchStart + pLen;
    } else if (anchor === RE2Flags.ANCHOR_BOTH) {
      if (input.endPos() !== pLen) return null;
      if (input.index(this, 0) !== 0) return null;
      matchStart = 0;
      matchEnd = pLen;
    } else if (anchor === RE2Flags.ANCHOR_START) {
      if (input.index(this, 0) !== 0) return null;
      matchStart = 0;
      matchEnd = pLen;
    }
    if (matchStart < 0) return null;
    if (ncap > 0) {
      const matchcap = new Int32Array(ncap).fill(-1);
      matchcap[0] = matchStart;
      matchcap[1] = matchEnd;
      return Array.from(matchcap);
    }
    return [];
  }
  createLookbehindState() {
    return this.prog.numLb > 0 ? new LookbehindState(this.prog) : null;
  }
  executeEngine(input, pos, anchor, ncap, lbState = null) {
    if (this.prefixComplete && (ncap === 0 || this.numSubexp === 0)) return this.matchPrefixComplete(input, pos, anchor, ncap);
    if (this.prefilter !== null && anchor === RE2Flags.UNANCHORED) {
      if (!this.prefilter.eval(input, pos)) return null;
    }
    if (this.onepass !== null) return OnePass.execute(this, input, pos, anchor, ncap);
    if (ncap > 0) {
      if (this.prog.numLb === 0 && input.endPos() <= Backtracker.maxBitStateLen(this.prog)) return Backtracker.execute(this, input, pos, anchor, ncap);
      return this.doExecuteNFA(input, pos, anchor, ncap, lbState);
    }
    if (this.prog.numLb === 0) {
      const dfaResult = this.dfa.match(input, pos, anchor);
      if (dfaResult !== null) return dfaResult ? [] : null;
      if (input.endPos() <= Backtracker.maxBitStateLen(this.prog)) return Backtracker.execute(this, input, pos, anchor, ncap);
    }
    return this.doExecuteNFA(input, pos, anchor, ncap, lbState);
  }
  /**
  * Returns the number of parenthesized subexpressions in this regular expression.
  */
  numberOfCapturingGroups() {
    return this.numSubexp;
  }
  /**
  * Returns the number of instructions in this compiled regular expression program.
  */
  numberOfInstructions() {
    return this.prog.numInst();
  }
  get() {
    return this.machinePool.length > 0 ? this.machinePool.pop() : null;
  }
  reset() {
    this.machinePool.length = 0;
  }
  put(m) {
    this.machinePool.push(m);
  }
  toString() {
    return this.expr;
  }
  doExecuteNFA(input, pos, anchor, ncap, lbState = null) {
    let m = this.get();
    if (!m) m = Machine.fromRE2(this);
    m.init(ncap);
    const cap = m.match(input, pos, anchor, lbState) ? m.submatches() : null;
    this.put(m);
    return cap;
  }
  match(s) {
    return this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, 0) !== null;
  }
  /**
  * Matches the regular expression against input starting at position start and ending at position
  * end, with the given anchoring. Records the submatch boundaries in group, which is [start, end)
  * pairs of byte offsets. The number of boundaries needed is inferred from the size of the group
  * array. It is most efficient not to ask for submatch boundaries.
  *
  * @param input the input byte array
  * @param start the beginning position in the input
  * @param end the end position in the input
  * @param anchor the anchoring flag (UNANCHORED, ANCHOR_START, ANCHOR_BOTH)
  * @param group the array to fill with submatch positions
  * @param ngroup the number of array pairs to fill in
  * @param lbState optional state carried between successive matches over the same input (see
  *   createLookbehindState); omit it to evaluate lookbehinds from the beginning of the input
  * @returns true if a match was found
  */
  matchWithGroup(input, start, end, anchor, ngroup, lbState = null) {
    if (!(input instanceof MatcherInputBase)) {
      if (Utils.isByteArray(input)) input = MatcherInput.utf8(input);
      else input = MatcherInput.utf16(input);
    }
    return this.matchMachineInput(input, start, end, anchor, ngroup, lbState);
  }
  matchMachineInput(input, start, end, anchor, ngroup, lbState = null) {
    if (start > end) return [false, null];
    const machineInput = input.isUTF16Encoding() ? MachineInput.fromUTF16(input.asCharSequence(), 0, end) : MachineInput.fromUTF8(input.asBytes(), 0, end);
    const groupMatch = this.executeEngine(machineInput, start, anchor, 2 * ngroup, lbState);
    if (groupMatch === null) return [false, null];
    return [true, groupMatch];
  }
  /**
  * Returns true iff this regexp matches the UTF-8 byte array {@code b}.
  */
  matchUTF8(b) {
    return this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, 0) !== null;
  }
  /**
  * Returns a copy of {@code src} in which all matches for this regexp have been replaced by
  * {@code repl}. No support is provided for expressions (e.g. {@code \1} or {@code $1}) in the
  * replacement string.
  */
  replaceAll(src, repl) {
    return this.replaceAllFunc(src, () => repl, 2 * src.length + 1);
  }
  /**
  * Returns a copy of {@code src} in which only the first match for this regexp has been replaced
  * by {@code repl}. No support is provided for expressions (e.g. {@code \1} or {@code $1}) in the
  * replacement string.
  */
  replaceFirst(src, repl) {
    return this.replaceAllFunc(src, () => repl, 1);
  }
  /**
  * Returns a copy of {@code src} in which at most {@code maxReplaces} matches for this regexp have
  * been replaced by the return value of of function {@code repl} (whose first argument is the
  * matched string). No support is provided for expressions (e.g. {@code \1} or {@code $1}) in the
  * replacement string.
  */
  replaceAllFunc(src, replFunc, maxReplaces) {
    let lastMatchEnd = 0;
    let searchPos = 0;
    let out = "";
    const input = MachineInput.fromUTF16(src);
    const lbState = this.createLookbehindState();
    let numReplaces = 0;
    while (searchPos <= src.length) {
      const a = this.executeEngine(input, searchPos, RE2Flags.UNANCHORED, 2, lbState);
      if (a === null || a.length === 0) break;
      out += src.substring(lastMatchEnd, a[0]);
      if (a[1] > lastMatchEnd || a[0] === 0) {
        out += replFunc(src.substring(a[0], a[1]));
        numReplaces++;
      }
      lastMatchEnd = a[1];
      const width = input.step(searchPos) & 7;
      if (searchPos + width > a[1]) searchPos += width;
      else if (searchPos + 1 > a[1]) searchPos++;
      else searchPos = a[1];
      if (numReplaces >= maxReplaces) break;
    }
    out += src.substring(lastMatchEnd);
    return out;
  }
  pad(a) {
    if (a === null) return null;
    let n = (1 + this.numSubexp) * 2;
    if (a.length < n) {
      let a2 = new Array(n).fill(-1);
      for (let i = 0; i < a.length; i++) a2[i] = a[i];
      a = a2;
    }
    return a;
  }
  allMatches(input, n, deliverFun = (v) => v) {
    let result = [];
    const end = input.endPos();
    if (n < 0) n = end + 1;
    let pos = 0;
    let i = 0;
    let prevMatchEnd = -1;
    const lbState = this.createLookbehindState();
    while (i < n && pos <= end) {
      const matches3 = this.executeEngine(input, pos, RE2Flags.UNANCHORED, this.prog.numCap, lbState);
      if (matches3 === null || matches3.length === 0) break;
      let accept = true;
      if (matches3[1] === pos) {
        if (matches3[0] === prevMatchEnd) accept = false;
        const r2 = input.step(pos);
        if (r2 < 0) pos = end + 1;
        else pos += r2 & 7;
      } else pos = matches3[1];
      prevMatchEnd = matches3[1];
      if (accept) {
        result.push(deliverFun(this.pad(matches3)));
        i++;
      }
    }
    return result;
  }
  /**
  * Returns an array holding the text of the leftmost match in {@code b} of this regular
  * expression.
  *
  * A return value of null indicates no match.
  */
  findUTF8(b) {
    const a = this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, 2);
    if (a === null) return null;
    return b.slice(a[0], a[1]);
  }
  /**
  * Returns a two-element array of integers defining the location of the leftmost match in
  * {@code b} of this regular expression. The match itself is at {@code b[loc[0]...loc[1]]}.
  *
  * A return value of null indicates no match.
  */
  findUTF8Index(b) {
    const a = this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, 2);
    if (a === null) return null;
    return a.slice(0, 2);
  }
  /**
  * Returns a string holding the text of the leftmost match in {@code s} of this regular
  * expression.
  *
  * If there is no match, the return value is an empty string, but it will also be empty if the
  * regular expression successfully matches an empty string. Use {@link #findIndex} or
  * {@link #findSubmatch} if it is necessary to distinguish these cases.
  */
  find(s) {
    const a = this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, 2);
    if (a === null) return "";
    return s.substring(a[0], a[1]);
  }
  /**
  * Returns a two-element array of integers defining the location of the leftmost match in
  * {@code s} of this regular expression. The match itself is at
  * {@code s.substring(loc[0], loc[1])}.
  *
  * A return value of null indicates no match.
  */
  findIndex(s) {
    return this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, 2);
  }
  /**
  * Returns an array of arrays the text of the leftmost match of the regular expression in
  * {@code b} and the matches, if any, of its subexpressions, as defined by the <a
  * href='#submatch'>Submatch</a> description above.
  *
  * A return value of null indicates no match.
  */
  findUTF8Submatch(b) {
    const a = this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, this.prog.numCap);
    if (a === null) return null;
    const ret = new Array(1 + this.numSubexp).fill(null);
    for (let i = 0; i < ret.length; i++) if (2 * i < a.length && a[2 * i] >= 0) ret[i] = b.slice(a[2 * i], a[2 * i + 1]);
    return ret;
  }
  /**
  * Returns an array holding the index pairs identifying the leftmost match of this regular
  * expression in {@code b} and the matches, if any, of its subexpressions, as defined by the the
  * <a href='#submatch'>Submatch</a> and <a href='#index'>Index</a> descriptions above.
  *
  * A return value of null indicates no match.
  */
  findUTF8SubmatchIndex(b) {
    return this.pad(this.executeEngine(MachineInput.fromUTF8(b), 0, RE2Flags.UNANCHORED, this.prog.numCap));
  }
  /**
  * Returns an array of strings holding the text of the leftmost match of the regular expression in
  * {@code s} and the matches, if any, of its subexpressions, as defined by the <a
  * href='#submatch'>Submatch</a> description above.
  *
  * A return value of null indicates no match.
  */
  findSubmatch(s) {
    const a = this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, this.prog.numCap);
    if (a === null) return null;
    const ret = new Array(1 + this.numSubexp).fill(null);
    for (let i = 0; i < ret.length; i++) if (2 * i < a.length && a[2 * i] >= 0) ret[i] = s.substring(a[2 * i], a[2 * i + 1]);
    return ret;
  }
  /**
  * Returns an array holding the index pairs identifying the leftmost match of this regular
  * expression in {@code s} and the matches, if any, of its subexpressions, as defined by the <a
  * href='#submatch'>Submatch</a> description above.
  *
  * A return value of null indicates no match.
  */
  findSubmatchIndex(s) {
    return this.pad(this.executeEngine(MachineInput.fromUTF16(s), 0, RE2Flags.UNANCHORED, this.prog.numCap));
  }
  /**
  * {@code findAllUTF8()} is the <a href='#all'>All</a> version of {@link #findUTF8}; it returns a
  * list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  *
  * TODO(adonovan): think about defining a byte slice view class, like a read-only Go slice backed
  * by |b|.
  */
  findAllUTF8(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n, (match) => b.slice(match[0], match[1]));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllUTF8Index} is the <a href='#all'>All</a> version of {@link #findUTF8Index}; it
  * returns a list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllUTF8Index(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n, (match) => match.slice(0, 2));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAll} is the <a href='#all'>All</a> version of {@link #find}; it returns a list of up
  * to {@code n} successive matches of the expression, as defined by the <a href='#all'>All</a>
  * description above.
  *
  * A return value of null indicates no match.
  */
  findAll(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n, (match) => s.substring(match[0], match[1]));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllIndex} is the <a href='#all'>All</a> version of {@link #findIndex}; it returns a
  * list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllIndex(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n, (match) => match.slice(0, 2));
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllUTF8Submatch} is the <a href='#all'>All</a> version of {@link #findUTF8Submatch};
  * it returns a list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllUTF8Submatch(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n, (match) => {
      let slice2 = new Array(match.length / 2 | 0).fill(null);
      for (let j = 0; j < slice2.length; j++) if (match[2 * j] >= 0) slice2[j] = b.slice(match[2 * j], match[2 * j + 1]);
      return slice2;
    });
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllUTF8SubmatchIndex} is the <a href='#all'>All</a> version of
  * {@link #findUTF8SubmatchIndex}; it returns a list of up to {@code n} successive matches of the
  * expression, as defined by the <a href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllUTF8SubmatchIndex(b, n) {
    const result = this.allMatches(MachineInput.fromUTF8(b), n);
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllSubmatch} is the <a href='#all'>All</a> version of {@link #findSubmatch}; it
  * returns a list of up to {@code n} successive matches of the expression, as defined by the <a
  * href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllSubmatch(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n, (match) => {
      let slice2 = new Array(match.length / 2 | 0).fill(null);
      for (let j = 0; j < slice2.length; j++) if (match[2 * j] >= 0) slice2[j] = s.substring(match[2 * j], match[2 * j + 1]);
      return slice2;
    });
    if (result.length === 0) return null;
    return result;
  }
  /**
  * {@code findAllSubmatchIndex} is the <a href='#all'>All</a> version of
  * {@link #findSubmatchIndex}; it returns a list of up to {@code n} successive matches of the
  * expression, as defined by the <a href='#all'>All</a> description above.
  *
  * A return value of null indicates no match.
  */
  findAllSubmatchIndex(s, n) {
    const result = this.allMatches(MachineInput.fromUTF16(s), n);
    if (result.length === 0) return null;
    return result;
  }
};
var RE2Set = class RE2Set2 {
  /** @type {number} */
  static UNANCHORED = RE2Flags.UNANCHORED;
  /** @type {number} */
  static ANCHOR_START = RE2Flags.ANCHOR_START;
  /** @type {number} */
  static ANCHOR_BOTH = RE2Flags.ANCHOR_BOTH;
  /**
  * Constructs a new RE2Set with the specified anchor mode and flags.
  * @param {number} [anchor=RE2Set.UNANCHORED] - The anchoring mode (e.g., RE2Set.UNANCHORED).
  * @param {number} [flags=0] - The public flags to apply to all patterns in the set.
  * @param {number} [maxMem=8388608] - The maximum memory in bytes to use for the DFA (default 8MB).
  */
  constructor(anchor = RE2Set2.UNANCHORED, flags = 0, maxMem = 8388608) {
    if (![
      RE2Set2.UNANCHORED,
      RE2Set2.ANCHOR_START,
      RE2Set2.ANCHOR_BOTH
    ].includes(anchor)) throw new RE2JSFlagsException("The anchor should be RE2Set.UNANCHORED, RE2Set.ANCHOR_START or RE2Set.ANCHOR_BOTH");
    Utils.checkFlags(flags);
    this.anchor = anchor;
    this.jsFlags = flags;
    this.maxMem = maxMem;
    let re2Flags = RE2Flags.PERL;
    if ((flags & PublicFlags.DISABLE_UNICODE_GROUPS) !== 0) re2Flags &= ~RE2Flags.UNICODE_GROUPS;
    if ((flags & PublicFlags.LOOKBEHINDS) !== 0) re2Flags |= RE2Flags.LOOKBEHIND;
    this.re2Flags = re2Flags;
    this.regexps = [];
    this.prog = null;
    this.dfa = null;
    this.dummyRe2 = null;
  }
  /**
  * Adds a new regular expression pattern to the set.
  * Patterns cannot be added after the set has been compiled.
  * @param {string} pattern - The regular expression pattern to add.
  * @returns {number} The integer index assigned to the added pattern.
  * @throws {RE2JSCompileException} If patterns are added after compilation.
  */
  add(pattern) {
    if (this.prog) throw new RE2JSCompileException("Cannot add patterns after compile");
    Utils.checkPattern(pattern);
    let fregex = pattern;
    if ((this.jsFlags & PublicFlags.CASE_INSENSITIVE) !== 0) fregex = `(?i)${fregex}`;
    if ((this.jsFlags & PublicFlags.DOTALL) !== 0) fregex = `(?s)${fregex}`;
    if ((this.jsFlags & PublicFlags.MULTILINE) !== 0) fregex = `(?m)${fregex}`;
    const re = Parser.parse(fregex, this.re2Flags);
    this.regexps.push(Simplify.simplify(re));
    return this.regexps.length - 1;
  }
  /**
  * Compiles the added patterns into a single state machine.
  * This is automatically called on the first match if not called explicitly.
  * @returns {void}
  */
  compile() {
    if (this.prog) return;
    const prog = Compiler.compileSet(this.regexps);
    if (prog.numInst() > Parser.MAX_SIZE) throw new RE2JSCompileException(`${Parser.ERR_LARGE}: the set compiles to ${prog.numInst()} instructions, more than ${Parser.MAX_SIZE}`);
    this.prog = prog;
    this.dfa = new DFA(this.prog, this.maxMem);
    this.dummyRe2 = {
      prog: this.prog,
      cond: this.prog.startCond(),
      prefix: "",
      prefixRune: 0,
      longest: false
    };
  }
  /**
  * Matches the input against the compiled set of regular expressions.
  * @param {string|number[]|Uint8Array} input - The input string or UTF-8 byte array to match against.
  * @returns {number[]} An array of indices representing the patterns that successfully matched the input.
  */
  match(input) {
    if (!this.prog) this.compile();
    const machineInput = Utils.isByteArray(input) ? MachineInput.fromUTF8(input) : MachineInput.fromUTF16(input);
    let internalAnchor = RE2Flags.UNANCHORED;
    if (this.anchor === RE2Set2.ANCHOR_START) internalAnchor = RE2Flags.ANCHOR_START;
    else if (this.anchor === RE2Set2.ANCHOR_BOTH) internalAnchor = RE2Flags.ANCHOR_BOTH;
    const dfaResult = this.dfa.matchSet(machineInput, 0, internalAnchor);
    if (dfaResult !== null) return dfaResult;
    const machine = Machine.fromRE2(this.dummyRe2);
    machine.init(0);
    return machine.matchSet(machineInput, 0, internalAnchor);
  }
};
var TranslateRegExpString = class TranslateRegExpString2 {
  static isHexadecimal(ch) {
    return "0" <= ch && ch <= "9" || "A" <= ch && ch <= "F" || "a" <= ch && ch <= "f";
  }
  static translate(data) {
    let prefixFlags = "";
    if (Object.prototype.toString.call(data) === "[object RegExp]") {
      if (data.ignoreCase) prefixFlags += "i";
      if (data.multiline) prefixFlags += "m";
      if (data.dotAll) prefixFlags += "s";
      data = data.source;
    }
    if (typeof data !== "string") return data;
    let result = "";
    let changed = false;
    let size2 = data.length;
    if (size2 === 0) {
      result = "(?:)";
      changed = true;
    }
    let inCharClass = false;
    let i = 0;
    while (i < size2) {
      let ch = data[i];
      if (ch === "\\") {
        if (i + 1 < size2) {
          ch = data[i + 1];
          switch (ch) {
            case "\\":
              result += "\\\\";
              i += 2;
              continue;
            case "c":
              if (i + 2 < size2) {
                let code = data[i + 2].charCodeAt(0);
                if (code >= 65 && code <= 90 || code >= 97 && code <= 122) {
                  let val = code % 32;
                  result += "\\x";
                  result += (val >> 4).toString(16).toUpperCase();
                  result += (val & 15).toString(16).toUpperCase();
                  i += 3;
                  changed = true;
                  continue;
                }
              }
              result += "c";
              i += 2;
              changed = true;
              continue;
            case "u":
              if (i + 2 < size2) {
                if (data[i + 2] === "{") {
                  let j = i + 3;
                  let hasHex = false;
                  let closed = false;
                  while (j < size2) {
                    const hexChar = data[j];
                    if (hexChar === "}") {
                      closed = true;
                      break;
                    }
                    if (!TranslateRegExpString2.isHexadecimal(hexChar)) break;
                    hasHex = true;
                    j++;
                  }
                  if (closed && hasHex) {
                    result += "\\x";
                    i += 2;
                    changed = true;
                    continue;
                  }
                } else if (i + 5 < size2) {
                  let isHex4 = true;
                  for (let j = 0; j < 4; j++) if (!TranslateRegExpString2.isHexadecimal(data[i + 2 + j])) {
                    isHex4 = false;
                    break;
                  }
                  if (isHex4) {
                    result += "\\x{" + data.substring(i + 2, i + 6) + "}";
                    i += 6;
                    changed = true;
                    continue;
                  }
                }
              }
              result += "u";
              i += 2;
              changed = true;
              continue;
            case "x": {
              let isValidHex = false;
              if (i + 2 < size2 && data[i + 2] === "{") {
                let j = i + 3;
                let hasHex = false;
                let closed = false;
                while (j < size2) {
                  const hexChar = data[j];
                  if (hexChar === "}") {
                    closed = true;
                    break;
                  }
                  if (!TranslateRegExpString2.isHexadecimal(hexChar)) break;
                  hasHex = true;
                  j++;
                }
                if (closed && hasHex) isValidHex = true;
              } else if (i + 3 < size2 && TranslateRegExpString2.isHexadecimal(data[i + 2]) && TranslateRegExpString2.isHexadecimal(data[i + 3])) isValidHex = true;
              if (isValidHex) {
                result += "\\x";
                i += 2;
              } else {
                result += "x";
                i += 2;
                changed = true;
              }
              continue;
            }
            case "n":
            case "r":
            case "t":
            case "a":
            case "f":
            case "v":
            case "d":
            case "D":
            case "s":
            case "S":
            case "w":
            case "W":
            case "b":
            case "B":
            case "p":
            case "P":
            case "A":
            case "z":
            case "Q":
            case "E":
            case "0":
            case "1":
            case "2":
            case "3":
            case "4":
            case "5":
            case "6":
            case "7":
              result += "\\" + ch;
              i += 2;
              continue;
            default: {
              let cp2 = data.codePointAt(i + 1);
              if (cp2 >= 48 && cp2 <= 57 || cp2 >= 65 && cp2 <= 90 || cp2 >= 97 && cp2 <= 122) {
                let symSize2 = Utils.charCount(cp2);
                result += data.substring(i + 1, i + 1 + symSize2);
                i += symSize2 + 1;
                changed = true;
              } else {
                result += "\\";
                let symSize2 = Utils.charCount(cp2);
                result += data.substring(i + 1, i + 1 + symSize2);
                i += symSize2 + 1;
              }
              continue;
            }
          }
        }
      } else if (ch === "/") {
        result += "\\/";
        i += 1;
        changed = true;
        continue;
      } else if (ch === "[") {
        if (!inCharClass && data[i + 1] === "]") {
          result += "[^\\x00-\\x{10FFFF}]";
          i += 2;
          changed = true;
          continue;
        }
        if (!inCharClass && data[i + 1] === "^" && data[i + 2] === "]") {
          result += "[\\x00-\\x{10FFFF}]";
          i += 3;
          changed = true;
          continue;
        }
        inCharClass = true;
      } else if (ch === "]") inCharClass = false;
      else if (!inCharClass && ch === "(" && i + 2 < size2 && data[i + 1] === "?" && data[i + 2] === "<") {
        if (i + 3 < size2 && !"=!>)".includes(data[i + 3])) {
          result += "(?P<";
          i += 3;
          changed = true;
          continue;
        }
      }
      let cp = data.codePointAt(i);
      let symSize = Utils.charCount(cp);
      result += data.substring(i, i + symSize);
      i += symSize;
    }
    const finalResult = changed ? result : data;
    if (prefixFlags.length > 0) return `(?${prefixFlags})${finalResult}`;
    return finalResult;
  }
};
var execResult = (m, input) => {
  const result = m.matchArray();
  result.index = m.start(0);
  result.input = input;
  result.groups = m.namedGroupsObject();
  return result;
};
var RE2JS = class RE2JS2 {
  /**
  * Flag: case insensitive matching.
  */
  static CASE_INSENSITIVE = PublicFlags.CASE_INSENSITIVE;
  /**
  * Flag: dot ({@code .}) matches all characters, including newline.
  */
  static DOTALL = PublicFlags.DOTALL;
  /**
  * Flag: multiline matching: {@code ^} and {@code $} match at beginning and end of line, not just
  * beginning and end of input.
  */
  static MULTILINE = PublicFlags.MULTILINE;
  /**
  * Flag: Unicode groups (e.g. {@code \p\ Greek\} ) will be syntax errors.
  */
  static DISABLE_UNICODE_GROUPS = PublicFlags.DISABLE_UNICODE_GROUPS;
  /**
  * Flag: matches longest possible string.
  */
  static LONGEST_MATCH = PublicFlags.LONGEST_MATCH;
  /**
  * Flag: enable linear-time captureless lookbehinds.
  */
  static LOOKBEHINDS = PublicFlags.LOOKBEHINDS;
  /**
  * Returns a literal pattern string for the specified string.
  *
  * This method produces a string that can be used to create a <code>RE2JS</code> that would
  * match the string <code>s</code> as if it were a literal pattern.
  *
  * Metacharacters or escape sequences in the input sequence will be given no special meaning.
  *
  * @param {string} str The string to be literalized
  * @returns {string} A literal string replacement
  */
  static quote(str) {
    return Utils.quoteMeta(str);
  }
  /**
  * Quotes '\' and '$' in {@code str}, so that the returned string could be used in
  * replacement methods as a literal replacement of {@code str}.
  *
  * This is a convenience delegation to {@link Matcher.quoteReplacement}.
  *
  * @param {string} str the string to be quoted
  * @param {boolean} [javaMode=false] whether the replacement will be used in javaMode
  * @returns {string} the quoted string
  */
  static quoteReplacement(str, javaMode = false) {
    return Matcher.quoteReplacement(str, javaMode);
  }
  /**
  * Translates a given regular expression string to ensure compatibility with RE2JS.
  *
  * This function preprocesses the input regex string by applying necessary transformations,
  * such as escaping special characters (e.g., `/`), converting named capture groups to
  * RE2JS-compatible syntax, and handling Unicode sequences properly. It ensures that the
  * resulting regex is safe and properly formatted before compilation.
  *
  * @param {string|RegExp} expr - The regular expression string to be translated.
  * @returns {string} - The transformed regular expression string, ready for compilation.
  */
  static translateRegExp(expr) {
    return TranslateRegExpString.translate(expr);
  }
  /**
  * Helper: create new RE2JS with given regex and flags. Flregex is the regex with flags applied.
  * @param {string} regex
  * @param {number} [flags=0]
  * @returns {RE2JS}
  */
  static compile(regex, flags = 0) {
    Utils.checkPattern(regex);
    Utils.checkFlags(flags);
    let fregex = regex;
    if ((flags & RE2JS2.CASE_INSENSITIVE) !== 0) fregex = `(?i)${fregex}`;
    if ((flags & RE2JS2.DOTALL) !== 0) fregex = `(?s)${fregex}`;
    if ((flags & RE2JS2.MULTILINE) !== 0) fregex = `(?m)${fregex}`;
    let re2Flags = RE2Flags.PERL;
    if ((flags & RE2JS2.DISABLE_UNICODE_GROUPS) !== 0) re2Flags &= ~RE2Flags.UNICODE_GROUPS;
    if ((flags & RE2JS2.LOOKBEHINDS) !== 0) re2Flags |= RE2Flags.LOOKBEHIND;
    const p = new RE2JS2(regex, flags);
    p.re2Input = RE2.compileImpl(fregex, re2Flags, (flags & RE2JS2.LONGEST_MATCH) !== 0);
    return p;
  }
  /**
  * Matches a string against a regular expression.
  *
  * @param {string} regex the regular expression
  * @param {string|number[]|Uint8Array} input the input
  * @returns {boolean} true if the regular expression matches the entire input
  * @throws RE2JSSyntaxException if the regular expression is malformed
  */
  static matches(regex, input) {
    return RE2JS2.compile(regex).testExact(input);
  }
  /**
  * This is visible for testing.
  * @private
  */
  static initTest(pattern, flags, re2) {
    if (pattern == null) throw new Error("pattern is null");
    if (re2 == null) throw new Error("re2 is null");
    const p = new RE2JS2(pattern, flags);
    p.re2Input = re2;
    return p;
  }
  /**
  *
  * @param {string} pattern
  * @param {number} flags
  */
  constructor(pattern, flags) {
    this.patternInput = pattern;
    this.flagsInput = flags;
    this.re2Input = null;
  }
  /**
  * Releases memory used by internal caches associated with this pattern. Does not change the
  * observable behaviour. Useful for tests that detect memory leaks via allocation tracking.
  */
  reset() {
    this.re2Input.reset();
  }
  /**
  * Returns the flags used in the constructor.
  * @returns {number}
  */
  flags() {
    return this.flagsInput;
  }
  /**
  * Returns the pattern used in the constructor.
  * @returns {string}
  */
  pattern() {
    return this.patternInput;
  }
  re2() {
    return this.re2Input;
  }
  /**
  * Matches a string against a regular expression.
  *
  * @param {string|number[]|Uint8Array} input the input
  * @returns {boolean} true if the regular expression matches the entire input
  */
  matches(input) {
    return this.testExact(input);
  }
  /**
  * Creates a new {@code Matcher} matching the pattern against the input.
  *
  * @param {string|number[]|Uint8Array|MatcherInputBase} input the input string
  * @returns {Matcher}
  */
  matcher(input) {
    if (Utils.isByteArray(input)) input = MatcherInput.utf8(input);
    return new Matcher(this, input);
  }
  /**
  * Tests whether the regular expression matches any part of the input string.
  * Performance Note: This method is highly optimized. Because it only returns
  * a boolean and does not extract capture groups, it bypasses the `Matcher` overhead
  * and guarantees execution on the high-speed DFA engine whenever possible.
  *
  * @param {string|number[]|Uint8Array} input - The input string or UTF-8 byte array to test against.
  * @returns {boolean} `true` if the pattern is found anywhere in the input, `false` otherwise.
  */
  test(input) {
    if (Utils.isByteArray(input)) return this.re2Input.matchUTF8(input);
    return this.re2Input.match(input);
  }
  /**
  * Tests whether the regular expression matches the ENTIRE input string.
  * * **Performance Note:** This operates identically to `.matches()`, but is significantly
  * faster because it does not request capture group data. By requesting 0 capture groups,
  * it securely routes execution through the DFA fast-path.
  *
  * @param {string|number[]|Uint8Array} input - The input string or UTF-8 byte array to test against.
  * @returns {boolean} `true` if the exact input string fully matches the pattern, `false` otherwise.
  */
  testExact(input) {
    const machineInput = Utils.isByteArray(input) ? MachineInput.fromUTF8(input) : MachineInput.fromUTF16(input);
    return this.re2Input.executeEngine(machineInput, 0, RE2Flags.ANCHOR_BOTH, 0) !== null;
  }
  /**
  * Executes a search for a match in a specified string.
  * Returns a result array, or null if no match is found.
  * The returned array perfectly mirrors standard JavaScript `RegExpExecArray`,
  * including `.index`, `.input`, and `.groups` properties.
  *
  * @param {string|number[]|Uint8Array} input the input string or byte array
  * @returns {Array|null} the match array with index, input, and groups properties, or null
  */
  exec(input) {
    const m = this.matcher(input);
    return m.find() ? execResult(m, input) : null;
  }
  /**
  * Splits input around instances of the regular expression. It returns an array giving the strings
  * that occur before, between, and after instances of the regular expression.
  *
  * If {@code limit <= 0}, there is no limit on the size of the returned array. If
  * {@code limit == 0}, empty strings that would occur at the end of the array are omitted. If
  * {@code limit > 0}, at most limit strings are returned. The final string contains the remainder
  * of the input, possibly including additional matches of the pattern.
  *
  * @param {string} input the input string to be split
  * @param {number} [limit=0] the limit
  * @returns {string[]} the split strings
  */
  split(input, limit = 0) {
    const m = this.matcher(input);
    const result = [];
    let emptiesSkipped = 0;
    let last = 0;
    while (m.find()) {
      if (last === 0 && m.end() === 0) {
        last = m.end();
        continue;
      }
      if (limit > 0 && result.length === limit - 1) break;
      if (last === m.start()) {
        if (limit === 0) {
          emptiesSkipped += 1;
          last = m.end();
          continue;
        }
      } else while (emptiesSkipped > 0) {
        result.push("");
        emptiesSkipped -= 1;
      }
      result.push(m.substring(last, m.start()));
      last = m.end();
    }
    if (limit === 0 && last !== m.inputLength()) {
      while (emptiesSkipped > 0) {
        result.push("");
        emptiesSkipped -= 1;
      }
      result.push(m.substring(last, m.inputLength()));
    }
    if (limit !== 0 || result.length === 0 && !(last === m.inputLength() && last > 0)) result.push(m.substring(last, m.inputLength()));
    return result;
  }
  /**
  * Returns an iterator of all results matching a string against the regular expression,
  * including capturing groups.
  *
  * @param {string|number[]|Uint8Array} input the input string or byte array
  * @returns {IterableIterator<RegExpMatchArray>}
  */
  *matchAll(input) {
    const m = this.matcher(input);
    while (m.find()) yield execResult(m, input);
  }
  /**
  *
  * @returns {string}
  */
  toString() {
    return this.patternInput;
  }
  /**
  * Returns the program size of this pattern.
  *
  * <p>
  * Similar to the C++ implementation, the program size is a very approximate measure of a regexp's
  * "cost". Larger numbers are more expensive than smaller numbers.
  * </p>
  *
  * @returns {number} the program size of this pattern
  */
  programSize() {
    return this.re2Input.numberOfInstructions();
  }
  /**
  * Returns the number of capturing groups in this matcher's pattern. Group zero denotes the entire
  * pattern and is excluded from this count.
  *
  * @returns {number} the number of capturing groups in this pattern
  */
  groupCount() {
    return this.re2Input.numberOfCapturingGroups();
  }
  /**
  * Return a map of the capturing groups in this matcher's pattern, where key is the name and value
  * is the index of the group in the pattern.
  * @returns {Record<string, number>}
  */
  namedGroups() {
    return this.re2Input.namedGroups;
  }
  /**
  *
  * @param {*} other
  * @returns {boolean}
  */
  equals(other) {
    if (this === other) return true;
    if (other === null || this.constructor !== other.constructor) return false;
    return this.flagsInput === other.flagsInput && this.patternInput === other.patternInput;
  }
};

// packages/expressions/src/re2/pattern.ts
var PatternError = class extends Error {
  pattern;
  constructor(pattern, message) {
    super(message);
    this.name = "PatternError";
    this.pattern = pattern;
  }
};
var maxCached = 500;
var cache = /* @__PURE__ */ new Map();
function compilePattern(source) {
  const known = cache.get(source);
  if (known !== void 0) return known;
  const pattern = new Re2Pattern(source);
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value);
  cache.set(source, pattern);
  return pattern;
}
var Re2Pattern = class {
  source;
  #compiled;
  constructor(source) {
    this.source = source;
    this.#compiled = compile(source);
  }
  test(text2) {
    return this.#compiled.test(text2);
  }
  find(text2) {
    const matcher2 = this.#compiled.matcher(text2);
    return matcher2.find() ? matcher2.group() ?? "" : "";
  }
  findAll(text2, limit = -1) {
    const matches3 = [];
    const matcher2 = this.#compiled.matcher(text2);
    let previousEnd = -1;
    while (matches3.length !== limit && matcher2.find()) {
      const [start, end] = [matcher2.start(), matcher2.end()];
      if (start !== end || start !== previousEnd) matches3.push(matcher2.group() ?? "");
      previousEnd = end;
    }
    return matches3;
  }
};
function compile(source) {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    const message = error.message;
    throw new PatternError(source, message.endsWith("at end of expression") ? `${message}: \`\`` : message);
  }
}

// packages/expressions/src/cel/call-cost.ts
var perCharacter = 0.1;
var perPatternCharacter = 0.25;
var listCreation3 = 10;
var structCreation2 = 40;
function size(value2) {
  return value2 === void 0 ? 1 : sizeOf(value2) ?? 1;
}
function innerSize(value2) {
  return value2 instanceof Optional && value2.value !== void 0 ? innerSize(value2.value) : size(value2);
}
function traversal(value2, factor = perCharacter) {
  return Math.ceil(size(value2) * factor);
}
var unitCost = new Set(
  "serviceAccount path group resource subresource namespace name allowed reason error errored masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch getScheme getHostname getHost getPort getEscapedPath getQuery".split(" ")
);
var firstOperandTraversal = (args) => traversal(args[0]);
var doubleTraversal = (args) => Math.ceil(size(args[0]) * 2 * perCharacter);
var deepTraversal = (args) => deepSize(args[0]);
var kubernetesCosts = new Map([
  ...[...unitCost].map((name) => [name, 1]),
  ["check", 35e4],
  ["fieldSelector", (args) => selectorCost(size(args[1]))],
  ["labelSelector", (args) => selectorCost(size(args[1]))],
  ...["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"].map((name) => [name, deepTraversal]),
  ...["url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR"].map(
    (name) => [name, firstOperandTraversal]
  ),
  ...["quantity", "isQuantity", "semver", "isSemver"].map((name) => [name, firstOperandTraversal]),
  ["replace", doubleTraversal],
  ["split", doubleTraversal],
  ["ip.isCanonical", doubleTraversal],
  ["join", (_, result) => Math.ceil(size(result) * 2 * perCharacter)],
  ["find", regexCost],
  ["findAll", regexCost],
  ["validate", validationCost]
]);
function regexCost(args) {
  const text2 = Math.ceil((1 + size(args[0])) * perCharacter);
  return text2 * Math.ceil(size(args[1]) * perPatternCharacter);
}
function validationCost(args) {
  const [format, text2] = args;
  if (!(format instanceof NamedFormat)) return 1;
  return Math.ceil((1 + size(text2)) * perCharacter) * Math.ceil(format.regexSize * perPatternCharacter);
}
function selectorCost(length) {
  const requirements = Math.ceil(length * 0.5);
  return listCreation3 + Math.ceil(length * perCharacter) + Math.ceil(requirements * (listCreation3 + structCreation2));
}
function deepSize(value2) {
  if (typeof value2 === "string") return Math.floor(Buffer.byteLength(value2) * perCharacter);
  if (value2 instanceof Uint8Array) return Math.floor(value2.length * perCharacter);
  let total = 0;
  if (value2 instanceof CelList) {
    for (const element of value2) total += deepSize(element);
    return total;
  }
  if (value2 instanceof CelMap) {
    for (const key2 of value2.keys()) total += deepSize(key2) + deepSize(value2.find(key2));
    return total;
  }
  return 1;
}
function smallerOperand(args) {
  return Math.ceil(Math.min(innerSize(args[0]), innerSize(args[1])) * perCharacter);
}
var bothOperands = (args) => Math.ceil((innerSize(args[0]) + innerSize(args[1])) * perCharacter);
var ordered = ["less", "less_equals", "greater", "greater_equals"].flatMap((name) => [
  `${name}_string`,
  `${name}_bytes`
]);
var standardCosts = new Map([
  ...[
    "starts_with_string",
    "ends_with_string",
    "string_to_bytes",
    "bytes_to_string",
    "strings_quote",
    "string_format"
  ].map((id) => [id, firstOperandTraversal]),
  ["in_list", (args) => innerSize(args[1])],
  ...ordered.map((id) => [id, smallerOperand]),
  ["not_equals", smallerOperand],
  ["add_string", bothOperands],
  ["add_bytes", bothOperands],
  ["matches_string", regexCost],
  ["contains_string", (args) => traversal(args[0]) * traversal(args[1])]
]);

// packages/expressions/src/cel/functions/operators.ts
var minInt3 = -(2n ** 63n);
var maxInt3 = 2n ** 63n - 1n;
var maxUint3 = 2n ** 64n - 1n;
var intOverflow = new CelError("integer overflow");
var uintOverflow = new CelError("unsigned integer overflow");
var timestampOverflow = new CelError("timestamp overflow");
var divisionByZero = new CelError("division by zero");
var modulusByZero = new CelError("modulus by zero");
function checkedInt(value2) {
  return value2 < minInt3 || value2 > maxInt3 ? intOverflow : value2;
}
function checkedUint(value2) {
  return value2 < 0n || value2 > maxUint3 ? uintOverflow : new Uint(value2);
}
function checkedDuration(nanos) {
  return nanos < minInt3 || nanos > maxInt3 ? intOverflow : new Duration(nanos);
}
function checkedTimestamp(nanos, offsetSeconds) {
  return isInTimestampRange(nanos) ? new Timestamp(nanos, offsetSeconds) : timestampOverflow;
}
function add(left, right) {
  if (typeof left === "bigint") return typeof right === "bigint" ? checkedInt(left + right) : noOverloadFor(right);
  if (typeof left === "string") return typeof right === "string" ? left + right : noOverloadFor(right);
  if (typeof left === "number") return typeof right === "number" ? left + right : noOverloadFor(right);
  if (left instanceof CelList) return left.concat(right);
  if (left instanceof Uint) return right instanceof Uint ? checkedUint(left.value + right.value) : noOverloadFor(right);
  if (left instanceof Duration) {
    if (right instanceof Duration) return checkedDuration(left.nanos + right.nanos);
    if (right instanceof Timestamp) return checkedTimestamp(right.nanos + left.nanos, right.offsetSeconds);
    return noOverloadFor(right);
  }
  if (left instanceof Timestamp) {
    return right instanceof Duration ? checkedTimestamp(left.nanos + right.nanos, left.offsetSeconds) : noOverloadFor(right);
  }
  if (left instanceof Uint8Array) {
    return right instanceof Uint8Array ? new Uint8Array(Buffer.concat([left, right])) : noOverloadFor(right);
  }
  return noSuchOverload;
}
function subtract(left, right) {
  if (typeof left === "bigint") return typeof right === "bigint" ? checkedInt(left - right) : noOverloadFor(right);
  if (typeof left === "number") return typeof right === "number" ? left - right : noOverloadFor(right);
  if (left instanceof Uint) return right instanceof Uint ? checkedUint(left.value - right.value) : noOverloadFor(right);
  if (left instanceof Duration) {
    return right instanceof Duration ? checkedDuration(left.nanos - right.nanos) : noOverloadFor(right);
  }
  if (left instanceof Timestamp) {
    if (right instanceof Timestamp) return checkedDuration(left.nanos - right.nanos);
    if (right instanceof Duration) return checkedTimestamp(left.nanos - right.nanos, left.offsetSeconds);
  }
  return noOverloadFor(right);
}
function multiply(left, right) {
  if (typeof left === "bigint" && typeof right === "bigint") return checkedInt(left * right);
  if (typeof left === "number" && typeof right === "number") return left * right;
  if (left instanceof Uint && right instanceof Uint) return checkedUint(left.value * right.value);
  return noOverloadFor(right);
}
function divide(left, right) {
  if (typeof left === "bigint" && typeof right === "bigint") {
    return right === 0n ? divisionByZero : checkedInt(left / right);
  }
  if (typeof left === "number" && typeof right === "number") return left / right;
  if (left instanceof Uint && right instanceof Uint) {
    return right.value === 0n ? divisionByZero : new Uint(left.value / right.value);
  }
  return noOverloadFor(right);
}
function modulo(left, right) {
  if (typeof left === "bigint" && typeof right === "bigint") {
    if (right === 0n) return modulusByZero;
    return left === minInt3 && right === -1n ? intOverflow : left % right;
  }
  if (left instanceof Uint && right instanceof Uint) {
    return right.value === 0n ? modulusByZero : new Uint(left.value % right.value);
  }
  return noOverloadFor(right);
}
function negate(value2) {
  if (typeof value2 === "bigint") return checkedInt(-value2);
  if (typeof value2 === "number") return -value2;
  if (value2 instanceof Duration) return checkedDuration(-value2.nanos);
  return noOverloadFor(value2);
}
var notOrdered = new CelError("NaN values cannot be ordered");
function compare(left, right) {
  if (typeof left === "string") return typeof right === "string" ? compareStrings(left, right) : noOverloadFor(right);
  if (typeof left === "bigint" || typeof left === "number" || left instanceof Uint) {
    if (typeof right !== "bigint" && typeof right !== "number" && !(right instanceof Uint)) return noOverloadFor(right);
    const order2 = compareNumbers(left, right);
    return Number.isNaN(order2) ? notOrdered : order2;
  }
  if (typeof left === "boolean") {
    return typeof right === "boolean" ? Number(left) - Number(right) : noOverloadFor(right);
  }
  if (left instanceof Timestamp && right instanceof Timestamp) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Duration && right instanceof Duration) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  return noOverloadFor(right);
}
function isComparable(value2) {
  switch (typeof value2) {
    case "string":
    case "bigint":
    case "number":
    case "boolean":
      return true;
    default:
      return value2 instanceof Uint || value2 instanceof Timestamp || value2 instanceof Duration || value2 instanceof Uint8Array;
  }
}
function relation(holds) {
  return {
    accepts: isComparable,
    implementation(left, right) {
      if (typeof left === "bigint" && typeof right === "bigint") return holds(left < right ? -1 : left > right ? 1 : 0);
      const order2 = compare(left, right);
      return typeof order2 === "number" ? holds(order2) : order2;
    }
  };
}
function contains(value2, aggregate) {
  if (aggregate instanceof CelList) return aggregate.contains(value2);
  if (!(aggregate instanceof CelMap)) return noOverloadFor(aggregate);
  const found = aggregate.find(value2);
  return found instanceof CelError ? found : found !== void 0;
}
function matches(text2, pattern) {
  if (typeof pattern !== "string") return noOverloadFor(pattern);
  try {
    return compilePattern(pattern).test(text2);
  } catch (error) {
    return new CelError(error.message);
  }
}
var isNumber = (value2) => typeof value2 === "bigint" || typeof value2 === "number" || value2 instanceof Uint;
var isTime = (value2) => value2 instanceof Timestamp || value2 instanceof Duration;
var isInteger = (value2) => typeof value2 === "bigint" || value2 instanceof Uint;
var anything = () => true;
function binary(implementation, accepts) {
  return { implementation, accepts };
}
function unary(implementation, accepts) {
  return { implementation, accepts };
}
var operatorFunctions = /* @__PURE__ */ new Map([
  [
    "_+_",
    binary(
      add,
      (value2) => typeof value2 === "string" || isNumber(value2) || isTime(value2) || value2 instanceof CelList || value2 instanceof Uint8Array
    )
  ],
  ["_-_", binary(subtract, (value2) => isNumber(value2) || isTime(value2))],
  ["_*_", binary(multiply, isNumber)],
  ["_/_", binary(divide, isNumber)],
  ["_%_", binary(modulo, isInteger)],
  [
    "-_",
    unary(
      negate,
      (value2) => typeof value2 === "bigint" || typeof value2 === "number" || typeof value2 === "boolean" || value2 instanceof Duration
    )
  ],
  ["_<_", relation((order2) => order2 < 0)],
  ["_<=_", relation((order2) => order2 <= 0)],
  ["_>_", relation((order2) => order2 > 0)],
  ["_>=_", relation((order2) => order2 >= 0)],
  ["!_", unary((value2) => typeof value2 === "boolean" ? !value2 : noOverloadFor(value2), anything)],
  ["@in", binary(contains, anything)],
  [
    "size",
    unary(
      (value2) => BigInt(sizeOf(value2) ?? 0),
      (value2) => typeof value2 === "string" || value2 instanceof CelList || value2 instanceof CelMap || value2 instanceof Uint8Array
    )
  ],
  ["matches", binary(matches, (value2) => typeof value2 === "string")],
  ["dyn", unary((value2) => value2, anything)],
  ["type", unary((value2) => new TypeValue(typeName(value2)), anything)]
]);

// packages/expressions/src/cel/functions/conversions.ts
var intOverflow2 = new CelError("integer overflow");
var uintOverflow2 = new CelError("unsigned integer overflow");
function failure(from, to) {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}
function identity(value2) {
  return value2;
}
function stringToBool(text2) {
  if (/^(1|t|T|true|TRUE|True)$/.test(text2)) return true;
  if (/^(0|f|F|false|FALSE|False)$/.test(text2)) return false;
  return failure("string", "bool");
}
function stringToInt(text2) {
  const value2 = /^[+-]?\d+$/.test(text2) ? checkedInt(BigInt(text2.replace("+", ""))) : void 0;
  return typeof value2 === "bigint" ? value2 : failure("string", "int");
}
function stringToUint(text2) {
  const value2 = /^\d+$/.test(text2) ? checkedUint(BigInt(text2)) : void 0;
  return value2 instanceof Uint ? value2 : failure("string", "uint");
}
var decimal = /^[+-]?(\d(_?\d)*\.?(\d(_?\d)*)?|\.\d(_?\d)*)(e[+-]?\d(_?\d)*)?$/i;
var hexadecimal = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i;
function parseDouble(text2) {
  if (/^[+-]?(inf|infinity)$/i.test(text2)) return text2.startsWith("-") ? -Infinity : Infinity;
  if (/^nan$/i.test(text2)) return Number.NaN;
  const hex2 = hexadecimal.exec(text2);
  if (hex2 !== null) {
    const [, sign, whole = "", fraction = "", exponent = "0"] = hex2;
    if (whole === "" && fraction === "") return void 0;
    const mantissa = Number(`0x${whole}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length);
    return sign === "-" ? -mantissa : mantissa;
  }
  if (!decimal.test(text2)) return void 0;
  const value2 = Number(text2.replaceAll("_", ""));
  return Number.isFinite(value2) ? value2 : void 0;
}
function doubleToInt(value2) {
  if (!(value2 > -(2 ** 63) && value2 < 2 ** 63)) return intOverflow2;
  return BigInt(Math.trunc(value2));
}
function doubleToUint(value2) {
  if (!(value2 >= 0 && value2 < 2 ** 64)) return uintOverflow2;
  return new Uint(BigInt(Math.trunc(value2)));
}
function bytesToString(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}
function stringToDuration(text2) {
  const nanos = parseGoDuration(text2);
  return nanos === void 0 ? failure("string", "google.protobuf.Duration") : new Duration(nanos);
}
function stringToTimestamp(text2) {
  const time2 = parseTimestamp(text2);
  if (time2 === void 0) return failure("string", "google.protobuf.Timestamp");
  return isInTimestampRange(time2.nanos) ? time2 : new CelError("timestamp overflow");
}
function intToTimestamp(seconds) {
  const nanos = seconds * 1000000000n;
  return isInTimestampRange(nanos) ? new Timestamp(nanos) : new CelError("timestamp overflow");
}
var conversionOverloads = [
  ...[
    "bool_to_bool",
    "bytes_to_bytes",
    "double_to_double",
    "duration_to_duration",
    "int64_to_int64",
    "string_to_string",
    "timestamp_to_timestamp",
    "uint64_to_uint64"
  ].map((id) => overload(id, identity)),
  overload("string_to_bool", stringToBool),
  overload("string_to_bytes", (text2) => new Uint8Array(Buffer.from(text2, "utf8"))),
  overload("int64_to_double", (value2) => Number(value2)),
  overload("uint64_to_double", (value2) => Number(value2.value)),
  overload("string_to_double", (text2) => parseDouble(text2) ?? failure("string", "double")),
  overload("int64_to_duration", () => failure("int", "google.protobuf.Duration")),
  overload("string_to_duration", stringToDuration),
  overload("double_to_int64", doubleToInt),
  overload("duration_to_int64", (duration) => duration.nanos),
  overload("string_to_int64", stringToInt),
  overload("timestamp_to_int64", (time2) => floorSeconds(time2.nanos)),
  overload("uint64_to_int64", (value2) => checkedInt(value2.value)),
  overload("bool_to_string", (value2) => String(value2)),
  overload("bytes_to_string", bytesToString),
  overload("double_to_string", formatDouble),
  overload("duration_to_string", formatSeconds),
  overload("int64_to_string", (value2) => value2.toString()),
  overload("timestamp_to_string", formatTimestamp),
  overload("uint64_to_string", (value2) => value2.value.toString()),
  overload("int64_to_timestamp", intToTimestamp),
  overload("string_to_timestamp", stringToTimestamp),
  overload("double_to_uint64", doubleToUint),
  overload("int64_to_uint64", checkedUint),
  overload("string_to_uint64", stringToUint),
  overload("not_strictly_false", (value2) => typeof value2 === "boolean" ? value2 : true)
];

// packages/expressions/src/quantity.ts
var QuantityError = class extends Error {
  constructor(message) {
    super(message);
    this.name = "QuantityError";
  }
};
var wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
var wrongNumber = "unable to parse numeric part of quantity";
var wrongSuffix = "unable to parse quantity's suffix";
var decimalSuffixes = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18
};
var binarySuffixes = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
var decimalByExponent = new Map(Object.entries(decimalSuffixes).map(([suffix, exponent]) => [exponent, suffix]));
var binaryByExponent = new Map(Object.entries(binarySuffixes).map(([suffix, exponent]) => [exponent, suffix]));
var maxInt642 = 2n ** 63n - 1n;
var minInt64 = -(2n ** 63n);
var fitsInt64 = (value2) => value2 >= minInt64 && value2 <= maxInt642;
var pow10 = (exponent) => 10n ** BigInt(exponent);
var wrappingScales = /* @__PURE__ */ new Set([1, 2, 3, 6, 9]);
var Quantity = class _Quantity {
  format;
  #unscaled;
  #scale;
  #isBig;
  #text;
  constructor({ unscaled, scale, isBig, format, text: text2 }) {
    this.#unscaled = unscaled;
    this.#scale = scale;
    this.#isBig = isBig;
    this.format = format;
    this.#text = text2;
  }
  static of(value2, format = "DecimalSI") {
    return new _Quantity({ unscaled: value2, scale: 0, isBig: false, format });
  }
  /** Throws QuantityError. */
  static parse(text2) {
    if (text2 === "") throw new QuantityError(wrongFormat);
    if (text2 === "0") return new _Quantity({ unscaled: 0n, scale: 0, isBig: false, format: "DecimalSI", text: text2 });
    const literal = splitLiteral(text2);
    const { exponent, format } = interpretSuffix(literal.suffix);
    return new _Quantity(smallParts(text2, literal, exponent, format) ?? bigParts(literal, exponent, format));
  }
  static isValid(text2) {
    try {
      _Quantity.parse(text2);
      return true;
    } catch {
      return false;
    }
  }
  get isZero() {
    return this.#unscaled === 0n;
  }
  sign() {
    return this.#unscaled === 0n ? 0 : this.#unscaled > 0n ? 1 : -1;
  }
  compare(other) {
    const [left, right] = align(this, other);
    return left === right ? 0 : left < right ? -1 : 1;
  }
  equals(other) {
    return this.compare(other) === 0;
  }
  add(other) {
    return this.#combine(other, 1n);
  }
  sub(other) {
    return this.#combine(other, -1n);
  }
  neg() {
    return new _Quantity({ unscaled: -this.#unscaled, scale: this.#scale, isBig: this.#isBig, format: this.format });
  }
  #combine(other, factor) {
    const format = this.isZero ? other.format : this.format;
    const small = !this.#isBig && !other.#isBig;
    if (small && other.isZero) return new _Quantity({ ...this.#parts(), format });
    if (small && this.isZero) {
      return new _Quantity({ ...other.#parts(), unscaled: other.#unscaled * factor, format });
    }
    const [left, right, scale] = align(this, other);
    const unscaled = left + factor * right;
    const isBig = !(small && fitsInt64(left) && fitsInt64(right) && fitsInt64(unscaled));
    return new _Quantity({ unscaled, scale, isBig, format });
  }
  #parts() {
    return { unscaled: this.#unscaled, scale: this.#scale, isBig: this.#isBig, format: this.format };
  }
  /** The value as an int64, or undefined when it is fractional or out of range. */
  asInt64() {
    if (this.#isBig || this.#scale < 0) return void 0;
    const value2 = this.#unscaled * pow10(this.#scale);
    return fitsInt64(value2) ? value2 : void 0;
  }
  /** In units of ten to the power of `scale`, as Kubernetes' Value() (0) and MilliValue() (-3) give it: rounded up, and
   *  with the oddities of int64 arithmetic for amounts that do not fit. */
  scaledValue(scale) {
    const difference = scale - this.#scale;
    if (!this.#isBig) {
      if (difference > 0) return roundUp(this.#unscaled, pow10(difference));
      const value2 = this.#unscaled * pow10(-difference);
      if (fitsInt64(value2)) return value2;
      return wrappingScales.has(-difference) ? BigInt.asIntN(64, value2) : 0n;
    }
    const wrapped = BigInt.asIntN(64, this.#unscaled);
    if (difference <= 0) return BigInt.asIntN(64, wrapped * pow10(-difference));
    const divisor = pow10(difference);
    const isSmall = this.#unscaled < maxInt642 && difference < 19;
    const dividend = isSmall ? wrapped : this.#unscaled;
    const quotient = isSmall || dividend >= 0n || dividend % divisor === 0n ? dividend / divisor : dividend / divisor - 1n;
    return BigInt.asIntN(64, dividend % divisor === 0n ? quotient : quotient + 1n);
  }
  asApproximateFloat() {
    const base = Number(this.#unscaled);
    return this.#scale === 0 ? base : base * Number(`1e${this.#scale}`);
  }
  toString() {
    this.#text ??= this.#canonical();
    return this.#text;
  }
  toJSON() {
    return this.toString();
  }
  #canonical() {
    if (this.isZero) return "0";
    if (this.format === "BinarySI") {
      const binary2 = this.#canonicalBinary();
      if (binary2 !== void 0) return binary2;
    }
    let amount = this.#unscaled;
    let exponent = this.#scale;
    while (amount % 10n === 0n) {
      amount /= 10n;
      exponent++;
    }
    while (exponent % 3 !== 0) {
      amount *= 10n;
      exponent--;
    }
    if (this.format === "DecimalExponent") return exponent === 0 ? `${amount}` : `${amount}e${exponent}`;
    return `${amount}${decimalByExponent.get(exponent) ?? ""}`;
  }
  /** Whole amounts from 1024 on; what is smaller or fractional prints in decimal. */
  #canonicalBinary() {
    const limit = 1024n;
    const whole = this.#scale >= 0 ? this.#unscaled * pow10(this.#scale) : roundUp(this.#unscaled, pow10(-this.#scale));
    const exact = this.#scale >= 0 || whole * pow10(-this.#scale) === this.#unscaled;
    if (!exact || whole > -limit && whole < limit) return void 0;
    let amount = whole;
    let exponent = 0;
    while (amount % limit === 0n) {
      amount /= limit;
      exponent++;
    }
    return `${amount}${binaryByExponent.get(exponent * 10) ?? ""}`;
  }
  /** Both amounts at the smaller of the two scales. */
  static align(left, right) {
    const scale = Math.min(left.#scale, right.#scale);
    return [left.#unscaled * pow10(left.#scale - scale), right.#unscaled * pow10(right.#scale - scale), scale];
  }
};
function align(left, right) {
  return Quantity.align(left, right);
}
function roundUp(value2, divisor) {
  const quotient = value2 / divisor;
  if (value2 % divisor === 0n) return quotient;
  return value2 < 0n ? quotient - 1n : quotient + 1n;
}
function splitLiteral(text2) {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text2);
  if (match === null) throw new QuantityError(wrongFormat);
  const [, sign, digits = "", fraction = "", suffix = ""] = match;
  const whole = digits.replace(/^0+/, "") || "0";
  const onlyZeros = /^[+-]?0*$/.test(text2);
  return {
    negative: sign === "-",
    whole,
    fraction,
    suffix,
    hasDigits: onlyZeros || digits !== "" || fraction !== ""
  };
}
function interpretSuffix(suffix) {
  const decimal2 = Object.hasOwn(decimalSuffixes, suffix) ? decimalSuffixes[suffix] : void 0;
  if (decimal2 !== void 0) return { exponent: decimal2, format: "DecimalSI" };
  const binary2 = Object.hasOwn(binarySuffixes, suffix) ? binarySuffixes[suffix] : void 0;
  if (binary2 !== void 0) return { exponent: binary2, format: "BinarySI" };
  if (!/^[eE][+-]?\d+$/.test(suffix) || !fitsInt64(BigInt(suffix.slice(1).replace("+", "")))) {
    throw new QuantityError(wrongSuffix);
  }
  const exponent = Number(BigInt.asIntN(32, BigInt(suffix.slice(1).replace("+", ""))));
  return { exponent, format: "DecimalExponent" };
}
function smallParts(text2, { negative, whole, fraction }, exponent, format) {
  const isBinary = format === "BinarySI";
  if (isBinary && fraction !== "") return void 0;
  const precision = isBinary ? 15 - whole.length - Math.trunc(exponent * 3 / 10) - 1 : 18 - (whole.length + fraction.length);
  const scale = (isBinary ? 0 : exponent) - fraction.length;
  if (precision < 0 || scale < -9) return void 0;
  const digits = whole + fraction;
  const value2 = BigInt(digits);
  const magnitude = isBinary ? value2 << BigInt(exponent) : value2;
  if (!fitsInt64(magnitude)) return void 0;
  const isCanonical2 = isBinary ? (value2 & 7n) !== 0n : scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return {
    unscaled: negative ? -magnitude : magnitude,
    scale,
    isBig: false,
    format,
    text: isCanonical2 ? text2 : void 0
  };
}
var nano = -9;
function bigParts({ negative, whole, fraction, hasDigits }, exponent, format) {
  if (!hasDigits) throw new QuantityError(wrongNumber);
  let unscaled = BigInt(whole + fraction);
  let scale = -fraction.length;
  if (format === "BinarySI") unscaled <<= BigInt(exponent);
  else scale += exponent;
  if (unscaled !== 0n) {
    unscaled = scale >= nano ? unscaled * pow10(scale - nano) : roundUp(unscaled, pow10(nano - scale));
    scale = nano;
  }
  let resultFormat = format;
  if (format === "BinarySI") {
    const unit = pow10(-scale);
    if (unscaled > maxInt642 * unit) {
      unscaled = maxInt642;
      scale = 0;
    } else if (unscaled > 0n && unscaled < unit) {
      resultFormat = "DecimalSI";
    }
  }
  return { unscaled: negative ? -unscaled : unscaled, scale, isBig: true, format: resultFormat };
}

// packages/expressions/src/cel/functions/kubernetes.ts
var UrlValue = class _UrlValue extends OpaqueValue {
  typeName = "kubernetes.URL";
  url;
  constructor(url2) {
    super();
    this.url = url2;
  }
  equals(other) {
    return other instanceof _UrlValue ? formatUrl(this.url) === formatUrl(other.url) : noOverloadFor(other);
  }
};
function url(text2) {
  try {
    parseRequestUri(text2);
    return new UrlValue(parseUrl(text2));
  } catch (error) {
    return new CelError(`URL parse error during conversion from string: ${error.message}`);
  }
}
function isUrl(text2) {
  try {
    parseRequestUri(text2);
    return true;
  } catch {
    return false;
  }
}
function getQuery({ url: url2 }) {
  return EntryMap.of([...queryValues(url2)].map(([key2, values]) => [key2, new ArrayList(values)]));
}
var QuantityValue = class _QuantityValue extends OpaqueValue {
  typeName = "kubernetes.Quantity";
  quantity;
  /** The result of arithmetic, which Kubernetes cannot take on the right side of `==`. */
  isComputed;
  constructor(quantity2, isComputed = false) {
    super();
    this.quantity = quantity2;
    this.isComputed = isComputed;
  }
  equals(other) {
    if (!(other instanceof _QuantityValue) || other.isComputed) return noOverloadFor(other);
    return this.quantity.equals(other.quantity);
  }
};
function quantity(text2) {
  try {
    return new QuantityValue(Quantity.parse(text2));
  } catch (error) {
    return new CelError(error.message);
  }
}
function computed(result) {
  return new QuantityValue(result, true);
}
function withInt(value2) {
  return Quantity.of(value2, "DecimalExponent");
}
function illegalRegex(error) {
  return new CelError(`Illegal regex: ${error.message}`);
}
function find(text2, pattern) {
  try {
    return compilePattern(pattern).find(text2);
  } catch (error) {
    return illegalRegex(error);
  }
}
function findAll(text2, pattern, limit = -1n) {
  try {
    return new ArrayList(compilePattern(pattern).findAll(text2, Number(limit)));
  } catch (error) {
    return illegalRegex(error);
  }
}
var kubernetesOverloads = [
  overload("string_find_string", find),
  overload("string_find_all_string", findAll),
  overload("string_find_all_string_int", findAll),
  overload("string_to_url", url),
  overload("is_url_string", isUrl),
  overload("url_get_scheme", ({ url: url2 }) => url2.scheme),
  overload("url_get_host", ({ url: url2 }) => url2.host),
  overload("url_get_hostname", ({ url: url2 }) => splitHostPort(url2.host).host),
  overload("url_get_port", ({ url: url2 }) => splitHostPort(url2.host).port),
  overload("url_get_escaped_path", ({ url: url2 }) => escapedPath(url2)),
  overload("url_get_query", getQuery),
  overload("string_to_quantity", quantity),
  overload("is_quantity_string", (text2) => Quantity.isValid(text2)),
  overload("quantity_sign", ({ quantity: quantity2 }) => BigInt(quantity2.sign())),
  overload("quantity_is_greater_than", (a, b) => a.quantity.compare(b.quantity) > 0),
  overload("quantity_is_less_than", (a, b) => a.quantity.compare(b.quantity) < 0),
  overload("quantity_compare_to", (a, b) => BigInt(a.quantity.compare(b.quantity))),
  overload("quantity_get_float", ({ quantity: quantity2 }) => quantity2.asApproximateFloat()),
  overload(
    "quantity_get_int",
    ({ quantity: quantity2 }) => quantity2.asInt64() ?? new CelError("cannot convert value to integer")
  ),
  overload("quantity_is_integer", ({ quantity: quantity2 }) => quantity2.asInt64() !== void 0),
  overload("quantity_add", (a, b) => computed(a.quantity.add(b.quantity))),
  overload("quantity_add_int", (a, b) => computed(a.quantity.add(withInt(b)))),
  overload("quantity_sub", (a, b) => computed(a.quantity.sub(b.quantity))),
  overload("quantity_sub_int", (a, b) => computed(a.quantity.sub(withInt(b))))
];

// packages/expressions/src/cel/functions/lists.ts
var comparable = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
function isSorted(list2) {
  let previous;
  for (const element of list2) {
    if (!isComparable(element)) return noOverloadFor(element);
    if (previous !== void 0 && compare(previous, element) === 1) return false;
    previous = element;
  }
  return true;
}
function sum2(zero) {
  return (list2) => {
    let total = zero;
    for (const element of list2) {
      total = add(total, element);
      if (total instanceof CelError) return total;
    }
    return total;
  };
}
function extreme(name, better) {
  return (list2) => {
    let best;
    for (const element of list2) {
      if (!isComparable(element)) return noOverloadFor(element);
      if (best === void 0 || compare(best, element) === better) best = element;
    }
    return best ?? new CelError(`${name} called on empty list`);
  };
}
function indexOf(list2, value2) {
  for (let index2 = 0; index2 < list2.size; index2++) {
    if (equalTo(list2.at(index2), value2) === true) return BigInt(index2);
  }
  return -1n;
}
function lastIndexOf(list2, value2) {
  for (let index2 = list2.size - 1; index2 >= 0; index2--) {
    if (equalTo(list2.at(index2), value2) === true) return BigInt(index2);
  }
  return -1n;
}
function slice(list2, start, end) {
  const problem2 = (why) => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return problem2("negative indexes not supported");
  if (start > end) return problem2("start index must be less than or equal to end index");
  if (end > list2.size) return problem2(`list is length ${list2.size}`);
  return new ArrayList([...list2].slice(Number(start), Number(end)));
}
function flatten(list2, depth = 1n) {
  if (depth < 0n) return new CelError("level must be non-negative");
  const flatInto = (result, nested2, levels) => {
    for (const element of nested2) {
      if (element instanceof CelList && levels > 0n) flatInto(result, element, levels - 1n);
      else result.push(element);
    }
    return result;
  };
  return new ArrayList(flatInto([], list2, depth));
}
function sortByKeys(list2, keys) {
  if (list2.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list2.size} and ${keys.size} elements respectively`
    );
  }
  if (list2.size === 0) return list2;
  const ordered2 = [...keys].map((key2, index2) => ({ key: key2, value: list2.at(index2) }));
  const first = ordered2[0].key;
  if (!isComparable(first)) return new CelError("list elements must be comparable");
  if (list2.size > 1 && ordered2.some(({ key: key2 }) => typeName(key2) !== typeName(first))) {
    return new CelError("list elements must have the same type");
  }
  ordered2.sort((left, right) => {
    const order2 = compare(left.key, right.key);
    return typeof order2 === "number" ? order2 : 0;
  });
  return new ArrayList(ordered2.map(({ value: value2 }) => value2));
}
function range(count) {
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, index2) => BigInt(index2)));
}
function distinct(list2) {
  const unique = [];
  for (const element of list2) {
    if (!unique.some((known) => equalTo(element, known) === true)) unique.push(element);
  }
  return list2.size === 0 ? list2 : new ArrayList(unique);
}
function containsAll(list2, wanted) {
  for (const element of wanted) {
    const found = list2.contains(element);
    if (found !== true) return found;
  }
  return true;
}
function intersects(list2, other) {
  for (const element of list2) {
    if (other.contains(element) === true) return true;
  }
  return false;
}
function equivalent(list2, other) {
  const contained = containsAll(list2, other);
  return contained === true ? containsAll(other, list2) : contained;
}
var GrowingMap = class extends EntryMap {
};
function insert(map2, key2, value2) {
  if (map2.find(key2) !== void 0) return new CelError(`insert failed: key ${printValue(key2)} already exists`);
  if (map2 instanceof GrowingMap) {
    map2.set(key2, value2);
    return map2;
  }
  const entries = [...map2.keys()].map((existing) => [existing, map2.find(existing) ?? null]);
  return EntryMap.of([[key2, value2], ...entries]);
}
function insertAll(map2, added) {
  let result = map2;
  for (const key2 of added.keys()) {
    const next = insert(result, key2, added.find(key2) ?? null);
    if (next instanceof CelError) return next;
    result = next;
  }
  return result;
}
function unwrap(list2) {
  const values = [];
  for (const element of list2) {
    if (!(element instanceof Optional)) return new CelError(`value ${printValue(element)} is not optional`);
    if (element.value !== void 0) values.push(element.value);
  }
  return new ArrayList(values);
}
var listOverloads = [
  ...comparable.flatMap((type) => [
    overload(`list_${type}_is_sorted_bool`, isSorted),
    overload(`list_${type}_max_${type}`, extreme("max", -1)),
    overload(`list_${type}_min_${type}`, extreme("min", 1))
  ]),
  overload("list_int_sum_int", sum2(0n)),
  overload("list_uint_sum_uint", sum2(new Uint(0n))),
  overload("list_double_sum_double", sum2(0)),
  overload("list_duration_sum_duration", sum2(new Duration(0n))),
  overload("list_a_index_of_int", indexOf),
  overload("list_a_last_index_of_int", lastIndexOf),
  overload("list_slice", slice),
  overload("list_flatten", flatten),
  overload("list_flatten_int", flatten),
  overload("lists_range", range),
  overload("list_reverse", (list2) => new ArrayList([...list2].reverse())),
  overload("list_distinct", distinct),
  overload("list_sets_contains_list", containsAll),
  overload("list_sets_equivalent_list", equivalent),
  overload("list_sets_intersects_list", intersects),
  overload("list_first", (list2) => list2.size === 0 ? Optional.none : new Optional(list2.at(0))),
  overload("list_last", (list2) => list2.size === 0 ? Optional.none : new Optional(list2.at(list2.size - 1))),
  overload("optional_unwrap", unwrap),
  overload("optional_unwrapOpt", unwrap),
  overload("@mapInsert_map_key_value", insert),
  overload("@mapInsert_map_map", insertAll)
];
var isList = (value2) => value2 instanceof CelList;
var listFunctions = [
  ["sort", { accepts: isList, implementation: (list2) => sortByKeys(list2, list2) }],
  [
    "@sortByAssociatedKeys",
    {
      accepts: isList,
      implementation: (list2, keys) => sortByKeys(list2, keys)
    }
  ]
];

// packages/expressions/src/cel/functions/net.ts
var Ip = class _Ip extends OpaqueValue {
  typeName = "net.IP";
  address;
  constructor(address) {
    super();
    this.address = address;
  }
  equals(other) {
    if (!(other instanceof _Ip)) return noOverloadFor(other);
    return this.toString() === other.toString();
  }
  size() {
    return this.address.bytes.length;
  }
  toString() {
    return formatAddress(this.address);
  }
};
var Cidr = class _Cidr extends OpaqueValue {
  typeName = "net.CIDR";
  address;
  bits;
  constructor(address, bits) {
    super();
    this.address = address;
    this.bits = bits;
  }
  equals(other) {
    if (!(other instanceof _Cidr)) return noOverloadFor(other);
    return this.toString() === other.toString();
  }
  size() {
    return Math.ceil(this.bits / 8);
  }
  toString() {
    return `${formatAddress(this.address)}/${this.bits}`;
  }
};
function parseIp(text2) {
  const address = parseAddress(text2);
  if (typeof address === "string") {
    return new CelError(`IP Address ${goQuote2(text2)} parse error during conversion from string: ${address}`);
  }
  if (address.zone !== "") return new CelError(`IP address ${goQuote2(text2)} with zone value is not allowed`);
  if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuote2(text2)} is not allowed`);
  return new Ip(address);
}
function parseCidr(text2) {
  const failure2 = (why) => `network address parse error during conversion from string: netip.ParsePrefix(${goQuote2(text2)}): ${why}`;
  const slash = text2.lastIndexOf("/");
  if (slash < 0) return failure2("no '/'");
  const address = parseAddress(text2.slice(0, slash));
  if (typeof address === "string") return failure2(address);
  if (address.zone !== "") return failure2("IPv6 zones cannot be present in a prefix");
  const bits = text2.slice(slash + 1);
  if (!/^(\d|[1-9]\d*)$/.test(bits) || bits.length > 15) return failure2(`bad bits after slash: ${goQuote2(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return failure2("prefix length out of range");
  if (isMapped(address)) return `IPv4-mapped IPv6 address ${goQuote2(text2)} is not allowed`;
  return new Cidr(address, Number(bits));
}
function cidr(text2) {
  const parsed = parseCidr(text2);
  if (parsed instanceof Cidr) return parsed;
  return new CelError(`network address parse error during conversion from string: ${parsed}`);
}
function containsIp(range2, ip) {
  if (!(ip instanceof Ip)) return noOverloadFor(range2);
  return sharesPrefix(range2.address, ip.address, range2.bits);
}
function containsCidr(range2, other) {
  if (!(other instanceof Cidr)) return noOverloadFor(other);
  return range2.bits <= other.bits && sharesPrefix(range2.address, other.address, range2.bits);
}
var byte = ({ address }, index2) => address.bytes[index2];
var isIpv4 = ({ address }) => address.bytes.length === 4;
var isUnspecified = ({ address }) => address.bytes.every((value2) => value2 === 0);
function isLoopback(ip) {
  if (isIpv4(ip)) return byte(ip, 0) === 127;
  return ip.address.bytes.every((value2, index2) => value2 === (index2 === 15 ? 1 : 0));
}
function isLinkLocalMulticast(ip) {
  if (isIpv4(ip)) return byte(ip, 0) === 224 && byte(ip, 1) === 0 && byte(ip, 2) === 0;
  return byte(ip, 0) === 255 && (byte(ip, 1) & 15) === 2;
}
function isLinkLocalUnicast(ip) {
  if (isIpv4(ip)) return byte(ip, 0) === 169 && byte(ip, 1) === 254;
  return byte(ip, 0) === 254 && (byte(ip, 1) & 192) === 128;
}
function isGlobalUnicast(ip) {
  const isMulticast = isIpv4(ip) ? (byte(ip, 0) & 240) === 224 : byte(ip, 0) === 255;
  const isBroadcast = isIpv4(ip) && ip.address.bytes.every((value2) => value2 === 255);
  return !isUnspecified(ip) && !isBroadcast && !isLoopback(ip) && !isMulticast && !isLinkLocalUnicast(ip);
}
function isCanonical(text2) {
  const ip = parseIp(text2);
  return ip instanceof Ip ? ip.toString() === text2 : ip;
}
var netOverloads = [
  overload("string_to_ip", parseIp),
  overload("is_ip", (text2) => parseIp(text2) instanceof Ip),
  overload("ip_is_canonical", isCanonical),
  overload("ip_to_string", (ip) => ip.toString()),
  overload("ip_family", (ip) => isIpv4(ip) ? 4n : 6n),
  overload("ip_is_unspecified", isUnspecified),
  overload("ip_is_loopback", isLoopback),
  overload("ip_is_link_local_multicast", isLinkLocalMulticast),
  overload("ip_is_link_local_unicast", isLinkLocalUnicast),
  overload("ip_is_global_unicast", isGlobalUnicast),
  overload("string_to_cidr", cidr),
  overload("is_cidr", (text2) => parseCidr(text2) instanceof Cidr),
  overload("cidr_to_string", (range2) => range2.toString()),
  overload("cidr_contains_ip_string", (range2, text2) => containsIp(range2, parseIp(text2))),
  overload("cidr_contains_ip_ip", containsIp),
  overload("cidr_contains_cidr_string", (range2, text2) => containsCidr(range2, cidr(text2))),
  overload("cidr_contains_cidr", containsCidr),
  overload("cidr_ip", (range2) => new Ip(range2.address)),
  overload("cidr_prefix_length", (range2) => BigInt(range2.bits)),
  overload(
    "cidr_masked",
    (range2) => new Cidr({ bytes: maskBytes(range2.address.bytes, range2.bits), zone: "" }, range2.bits)
  )
];

// packages/expressions/src/cel/functions/optionals.ts
function isZero(value2) {
  switch (typeof value2) {
    case "bigint":
      return value2 === 0n;
    case "number":
      return value2 === 0;
    case "string":
      return value2 === "";
    case "boolean":
      return !value2;
    default:
  }
  if (value2 === null) return true;
  if (value2 instanceof CelList || value2 instanceof CelMap) return isEmptyAggregate(value2);
  if (value2 instanceof Uint) return value2.value === 0n;
  if (value2 instanceof Uint8Array) return value2.length === 0;
  if (value2 instanceof Duration) return value2.nanos === 0n;
  if (value2 instanceof Timestamp) return floorSeconds(value2.nanos) === -62135596800n;
  return false;
}
function isEmptyAggregate(value2) {
  return value2.size === 0;
}
var optionalOverloads = [
  overload("optional_of", (value2) => new Optional(value2)),
  overload("optional_ofNonZeroValue", (value2) => isZero(value2) ? Optional.none : new Optional(value2)),
  overload("optional_none", () => Optional.none),
  overload("optional_value", ({ value: value2 }) => value2 ?? new CelError("optional.none() dereference")),
  overload("optional_hasValue", ({ value: value2 }) => value2 !== void 0)
];

// packages/expressions/src/cel/functions/semver.ts
var Semver = class _Semver extends OpaqueValue {
  typeName = "kubernetes.Semver";
  major;
  minor;
  patch;
  prerelease;
  constructor(numbers, prerelease) {
    super();
    const [major, minor, patch] = numbers;
    this.major = major;
    this.minor = minor;
    this.patch = patch;
    this.prerelease = prerelease;
  }
  equals(other) {
    if (!(other instanceof _Semver)) return noOverloadFor(other);
    return this.compare(other) === 0;
  }
  /** By precedence; build metadata does not count. */
  compare(other) {
    const numbers = compareNumbers2(this.major, other.major) || compareNumbers2(this.minor, other.minor) || compareNumbers2(this.patch, other.patch);
    return numbers || comparePrereleases(this.prerelease, other.prerelease);
  }
};
function compareNumbers2(left, right) {
  return left < right ? -1 : left > right ? 1 : 0;
}
function comparePrereleases(left, right) {
  if (left.length === 0 || right.length === 0) return Math.sign(right.length - left.length);
  for (let index2 = 0; index2 < Math.min(left.length, right.length); index2++) {
    const [a, b] = [left[index2], right[index2]];
    if (typeof a !== typeof b) return typeof a === "bigint" ? -1 : 1;
    const order2 = typeof a === "bigint" ? compareNumbers2(a, b) : compareStrings(a, b);
    if (order2 !== 0) return order2;
  }
  return Math.sign(left.length - right.length);
}
function parse2(text2) {
  if (text2 === "") throw new Error("Version string empty");
  const match = /^([^.]*)\.([^.]*)\.(.*)$/s.exec(text2);
  if (match === null) throw new Error("No Major.Minor.Patch elements found");
  const [, majorText = "", minorText = "", rest = ""] = match;
  const major = parseNumber("Major", majorText);
  const minor = parseNumber("Minor", minorText);
  const plus = rest.indexOf("+");
  const build = plus === -1 ? [] : rest.slice(plus + 1).split(".");
  const core = plus === -1 ? rest : rest.slice(0, plus);
  const dash = core.indexOf("-");
  const patch = parseNumber("Patch", dash === -1 ? core : core.slice(0, dash));
  const prerelease = dash === -1 ? [] : core.slice(dash + 1).split(".").map(parsePrerelease);
  for (const part of build) {
    if (part === "") throw new Error("Build meta data is empty");
    if (!/^[0-9A-Za-z-]*$/.test(part)) throw new Error(`Invalid character(s) found in build meta data ${goQuote2(part)}`);
  }
  return new Semver([major, minor, patch], prerelease);
}
function parseNumber(name, text2) {
  if (!/^\d*$/.test(text2)) {
    throw new Error(`Invalid character(s) found in ${name.toLowerCase()} number ${goQuote2(text2)}`);
  }
  if (/^0./.test(text2)) throw new Error(`${name} number must not contain leading zeroes ${goQuote2(text2)}`);
  return parseUint(text2);
}
function parseUint(text2) {
  if (text2 === "") throw new Error('strconv.ParseUint: parsing "": invalid syntax');
  const value2 = BigInt(text2);
  if (value2 >= 2n ** 64n) throw new Error(`strconv.ParseUint: parsing ${goQuote2(text2)}: value out of range`);
  return value2;
}
function parsePrerelease(text2) {
  if (text2 === "") throw new Error("Prerelease is empty");
  if (/^\d+$/.test(text2)) {
    if (/^0./.test(text2)) {
      throw new Error(`Numeric PreRelease version must not contain leading zeroes ${goQuote2(text2)}`);
    }
    return parseUint(text2);
  }
  if (!/^[0-9A-Za-z-]+$/.test(text2)) throw new Error(`Invalid character(s) found in prerelease ${goQuote2(text2)}`);
  return text2;
}
function normalize(text2) {
  const bare = text2.startsWith("v") ? text2.slice(1) : text2;
  const [first = "", ...others] = bare.split(".");
  const parts = others.length > 2 ? [first, others[0], others.slice(1).join(".")] : [first, ...others];
  const trimmed = parts.map((part) => {
    if (part.length <= 1) return part;
    const stripped = part.replace(/^0+/, "");
    return /^\d/.test(stripped) ? stripped : `0${stripped}`;
  });
  if (trimmed.length < 3 && /[+-]/.test(trimmed.at(-1))) {
    throw new Error("short version cannot contain PreRelease/Build meta data");
  }
  while (trimmed.length < 3) trimmed.push("0");
  return trimmed.join(".");
}
function semver(text2, normalized2 = false) {
  try {
    return parse2(normalized2 ? normalize(text2) : text2);
  } catch (error) {
    return new CelError(error.message);
  }
}
function isSemver(text2, normalized2 = false) {
  return semver(text2, normalized2) instanceof Semver;
}
var semverOverloads = [
  overload("string_to_semver", semver),
  overload("string_bool_to_semver", semver),
  overload("is_semver_string", isSemver),
  overload("is_semver_string_bool", isSemver),
  overload("semver_is_greater_than", (left, right) => left.compare(right) > 0),
  overload("semver_is_less_than", (left, right) => left.compare(right) < 0),
  overload("semver_compare_to", (left, right) => BigInt(left.compare(right))),
  overload("semver_major", (version) => BigInt.asIntN(64, version.major)),
  overload("semver_minor", (version) => BigInt.asIntN(64, version.minor)),
  overload("semver_patch", (version) => BigInt.asIntN(64, version.patch))
];

// packages/expressions/src/cel/functions/format-string.ts
var FormatError = class extends Error {
  argument;
  constructor(message, argument2) {
    super(message);
    this.argument = argument2;
  }
};
var verbErrors = {
  s: "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ",
  d: "decimal clause can only be used on integers, was given ",
  f: "fixed-point clause can only be used on doubles, was given ",
  e: "scientific clause can only be used on doubles, was given ",
  b: "only integers and bools can be formatted as binary, was given ",
  x: "only integers, byte buffers, and strings can be formatted as hex, was given ",
  X: "only integers, byte buffers, and strings can be formatted as hex, was given ",
  o: "octal clause can only be used on integers, was given "
};
function interpolate(template, hasArgument, format) {
  let text2 = "";
  let used = 0;
  let offset = 0;
  while (offset < template.length) {
    const percent = template.indexOf("%", offset);
    if (percent === -1) return { text: text2 + template.slice(offset), used };
    text2 += template.slice(offset, percent);
    if (template[percent + 1] === "%") {
      text2 += "%";
      offset = percent + 2;
      continue;
    }
    if (percent + 1 >= template.length && hasArgument(used)) throw new FormatError("unexpected end of string");
    if (!hasArgument(used)) throw new FormatError(`index ${used} out of range`);
    const clause = parseClause(template, percent + 1);
    try {
      text2 += format(clause.verb, clause.precision, used);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw new FormatError(`error during formatting: ${error.message}`, error.argument);
    }
    used++;
    offset = clause.end;
  }
  return { text: text2, used };
}
function parseClause(template, start) {
  const problem2 = (message) => new FormatError(`could not parse formatting clause: ${message}`);
  let offset = start;
  let precision;
  if (template[offset] === ".") {
    const digits = /^\d*/.exec(template.slice(offset + 1))?.[0] ?? "";
    offset += 1 + digits.length;
    if (offset >= template.length) {
      throw problem2("error while parsing precision: could not find end of precision specifier");
    }
    if (digits === "") {
      throw problem2(
        'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
      );
    }
    precision = Number(digits);
  }
  const verb = template[offset];
  if (!Object.hasOwn(verbErrors, verb)) throw problem2(`unrecognized formatting clause "${verb}"`);
  return { verb, precision, end: offset + 1 };
}
function formatString(template, args) {
  try {
    return interpolate(
      template,
      (index2) => index2 < args.size,
      (verb, precision, index2) => formatClause(verb, precision, args.at(index2))
    ).text;
  } catch (error) {
    if (error instanceof FormatError) return new CelError(error.message);
    throw error;
  }
}
function formatClause(verb, precision, value2) {
  const text2 = clauseText(verb, precision ?? 6, value2);
  if (text2 === void 0) throw new FormatError(verbErrors[verb] + typeName(value2));
  return text2;
}
function clauseText(verb, precision, value2) {
  switch (verb) {
    case "s":
      return plainText(value2);
    case "d":
      return integerOf(value2)?.toString();
    case "b":
      if (typeof value2 === "boolean") return value2 ? "1" : "0";
      return integerOf(value2)?.toString(2);
    case "o":
      return integerOf(value2)?.toString(8);
    case "x":
      return hexText(value2);
    case "X":
      return hexText(value2)?.toUpperCase();
    case "f": {
      const number = doubleOf(value2);
      return number === void 0 ? void 0 : fixedPoint(number, precision);
    }
    case "e": {
      const number = doubleOf(value2);
      return number === void 0 ? void 0 : scientific(number);
    }
  }
}
function integerOf(value2) {
  if (typeof value2 === "bigint") return value2;
  return value2 instanceof Uint ? value2.value : void 0;
}
function doubleOf(value2) {
  if (typeof value2 === "number") return value2;
  if (value2 === "NaN") return Number.NaN;
  if (value2 === "Infinity") return Infinity;
  return value2 === "-Infinity" ? -Infinity : void 0;
}
function hexText(value2) {
  if (typeof value2 === "string") return Buffer.from(value2, "utf8").toString("hex");
  if (value2 instanceof Uint8Array) return Buffer.from(value2).toString("hex");
  return integerOf(value2)?.toString(16);
}
function notFinite(value2) {
  if (Number.isNaN(value2)) return "NaN";
  return Number.isFinite(value2) ? void 0 : value2 > 0 ? "\u221E" : "-\u221E";
}
var mostDecimals = 100;
function roundHalfEven(value2, precision) {
  const size2 = Math.abs(value2);
  if (size2 >= 1e21) return BigInt(value2).toString();
  const decimals = Math.min(precision, mostDecimals);
  const rounded = value2.toFixed(decimals);
  const [whole = "0", fraction = ""] = size2.toFixed(mostDecimals).split(".");
  if (!/^50*$/.test(fraction.slice(decimals))) return rounded;
  const kept = BigInt(whole + fraction.slice(0, decimals));
  const even = (kept % 2n === 0n ? kept : kept + 1n).toString().padStart(decimals + 1, "0");
  const text2 = decimals === 0 ? even : `${even.slice(0, -decimals)}.${even.slice(-decimals)}`;
  return value2 < 0 ? `-${text2}` : text2;
}
function fixedPoint(value2, precision) {
  const special = notFinite(value2);
  if (special !== void 0) return special;
  const text2 = roundHalfEven(value2, precision);
  const [whole = "0", fraction] = text2.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  if (fraction !== void 0) return `${grouped}.${fraction.padEnd(precision, "0")}`;
  return precision === 0 ? grouped : `${grouped}.${"0".repeat(precision)}`;
}
var superscripts = "\u2070\xB9\xB2\xB3\u2074\u2075\u2076\u2077\u2078\u2079";
function scientific(value2) {
  const special = notFinite(value2);
  if (special !== void 0) return special;
  const [mantissa = "0", exponent = "0"] = value2.toExponential(6).split("e");
  const digits = exponent.replace(/[+-]/, "").padStart(2, "0");
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)]).join("");
  return `${mantissa}\xD710${exponent.startsWith("-") ? "\u207B" : ""}${raised}`;
}
function plainText(value2) {
  switch (typeof value2) {
    case "string":
      return value2;
    case "boolean":
    case "bigint":
      return String(value2);
    case "number":
      return formatDouble(value2);
    default:
  }
  if (value2 === null) return "null";
  if (value2 instanceof Uint) return value2.value.toString();
  if (value2 instanceof CelList) return `[${[...value2].map(nestedText).join(", ")}]`;
  if (value2 instanceof CelMap) return mapText(value2);
  if (value2 instanceof Timestamp) return formatTimestamp(value2);
  if (value2 instanceof Duration) return formatSeconds(value2);
  if (value2 instanceof TypeValue) return value2.name;
  if (value2 instanceof Uint8Array) return bytesText(value2);
  return void 0;
}
function bytesText(bytes) {
  const text2 = bytesToString(bytes);
  if (text2 instanceof CelError) throw new FormatError(`could not convert argument ${goQuote2(text2.message)} to string`);
  return text2;
}
function nestedText(value2) {
  if (typeof value2 === "string") return goQuote2(value2);
  if (typeof value2 === "number") {
    if (Number.isNaN(value2)) return '"NaN"';
    return Number.isFinite(value2) ? roundHalfEven(value2, 6) : value2 > 0 ? '"+Inf"' : '"-Inf"';
  }
  if (value2 instanceof Timestamp) return `timestamp(${goQuote2(formatTimestamp(value2))})`;
  if (value2 instanceof Duration) return `duration(${goQuote2(formatSeconds(value2))})`;
  if (value2 instanceof Uint8Array) return `b${goQuote2(bytesText(value2))}`;
  const text2 = plainText(value2);
  if (text2 === void 0) throw new FormatError(`no formatting function for ${typeName(value2)}`);
  return text2;
}
function mapText(map2) {
  const entries = [];
  for (const key2 of map2.keys()) {
    if (typeof key2 !== "string" && typeof key2 !== "boolean" && integerOf(key2) === void 0) {
      throw new FormatError(`no formatting function for map key of type ${typeName(key2)}`);
    }
    entries.push([nestedText(key2), nestedText(map2.find(key2) ?? null)]);
  }
  entries.sort(([left], [right]) => left < right ? -1 : left > right ? 1 : 0);
  return `{${entries.map(([key2, value2]) => `${key2}:${value2}`).join(", ")}}`;
}

// packages/expressions/src/cel/functions/strings.ts
function outOfRange(index2) {
  return new CelError(`index out of range: ${index2}`);
}
function charAt(text2, index2) {
  const characters = Array.from(text2);
  if (index2 < 0n || index2 > characters.length) return outOfRange(index2);
  return characters[Number(index2)] ?? "";
}
function indexOf2(text2, part, offset = 0n) {
  if (part === "") return offset;
  const characters = Array.from(text2);
  const wanted = Array.from(part);
  if (offset < 0n) return outOfRange(offset);
  for (let start = Number(offset); start + wanted.length <= characters.length; start++) {
    if (wanted.every((character, index2) => characters[start + index2] === character)) return BigInt(start);
  }
  return -1n;
}
function lastIndexOf2(text2, part, offset) {
  const characters = Array.from(text2);
  const wanted = Array.from(part);
  if (part === "") return offset ?? BigInt(characters.length);
  if (offset !== void 0 && offset < 0n) return outOfRange(offset);
  if (offset !== void 0 && offset >= characters.length) return -1n;
  const last = characters.length - wanted.length;
  for (let start = Math.min(last, offset === void 0 ? last : Number(offset)); start >= 0; start--) {
    if (wanted.every((character, index2) => characters[start + index2] === character)) return BigInt(start);
  }
  return -1n;
}
function substring(text2, start, end) {
  const characters = Array.from(text2);
  const stop = end ?? BigInt(characters.length);
  if (end !== void 0 && start > end) {
    return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0n || start > characters.length) return outOfRange(start);
  if (stop < 0n || stop > characters.length) return outOfRange(stop);
  return characters.slice(Number(start), Number(stop)).join("");
}
function join(list2, separator = "") {
  const parts = [];
  for (const element of list2) {
    if (typeof element !== "string") return new CelError(`join: invalid input: ${printValue(element)}`);
    parts.push(element);
  }
  return parts.join(separator);
}
var quoteEscapes = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "	": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"'
};
function quote(text2) {
  return `"${text2.replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => quoteEscapes[character])}"`;
}
function split(text2, separator, limit = -1n) {
  return new ArrayList(splitText(text2, separator, Number(limit)));
}
function onStrings(test) {
  return (text2, part) => {
    if (typeof text2 !== "string") return noOverloadFor(text2);
    return typeof part === "string" ? test(text2, part) : noOverloadFor(part);
  };
}
var stringOverloads = [
  overload(
    "contains_string",
    onStrings((text2, part) => text2.includes(part))
  ),
  overload(
    "starts_with_string",
    onStrings((text2, prefix) => text2.startsWith(prefix))
  ),
  overload(
    "ends_with_string",
    onStrings((text2, suffix) => text2.endsWith(suffix))
  ),
  overload("string_char_at_int", charAt),
  overload("string_index_of_string", indexOf2),
  overload("string_index_of_string_int", indexOf2),
  overload("string_last_index_of_string", lastIndexOf2),
  overload("string_last_index_of_string_int", lastIndexOf2),
  overload("string_lower_ascii", (text2) => text2.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  overload("string_upper_ascii", (text2) => text2.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  overload(
    "string_replace_string_string",
    (text2, old, replacement) => replaceText(text2, old, replacement)
  ),
  overload(
    "string_replace_string_string_int",
    (text2, old, replacement, limit) => replaceText(text2, old, replacement, Number(limit))
  ),
  overload("string_split_string", split),
  overload("string_split_string_int", split),
  overload("string_substring_int", substring),
  overload("string_substring_int_int", substring),
  overload("string_trim", trimSpace),
  overload("string_format", formatString),
  overload("strings_quote", quote),
  overload("list_join", join),
  overload("list_join_string", join)
];

// packages/expressions/src/cel/functions/times.ts
var accessors = [
  ["timestamp_to_year", (fields) => fields.year],
  ["timestamp_to_month", (fields) => fields.month],
  ["timestamp_to_day_of_year", (fields) => fields.dayOfYear],
  ["timestamp_to_day_of_month", (fields) => fields.day - 1],
  ["timestamp_to_day_of_month_1_based", (fields) => fields.day],
  ["timestamp_to_day_of_week", (fields) => fields.dayOfWeek],
  ["timestamp_to_hours", (fields) => fields.hours],
  ["timestamp_to_minutes", (fields) => fields.minutes],
  ["timestamp_to_seconds", (fields) => fields.seconds],
  ["timestamp_to_milliseconds", (fields) => Math.trunc(fields.nanosecond / 1e6)]
];
function accessor(read) {
  return (time2, zone = "UTC") => {
    const offset = offsetOf(zone, time2.nanos);
    if (offset instanceof Error) return new CelError(offset.message);
    return BigInt(read(fieldsAt(time2.nanos, offset)));
  };
}
var durationUnits2 = [
  ["duration_to_hours", 3600000000000n],
  ["duration_to_minutes", 60000000000n],
  ["duration_to_seconds", 1000000000n],
  ["duration_to_milliseconds", 1000000n]
];
var timeOverloads = [
  ...accessors.flatMap(([id, read]) => [
    overload(id, accessor(read)),
    overload(id === "timestamp_to_seconds" ? "timestamp_to_seconds_tz" : `${id}_with_tz`, accessor(read))
  ]),
  ...durationUnits2.map(([id, unit]) => overload(id, (duration) => duration.nanos / unit))
];

// packages/expressions/src/cel/functions/dispatch.ts
var implementations = new Map([
  ...conversionOverloads,
  ...stringOverloads,
  ...timeOverloads,
  ...listOverloads,
  ...optionalOverloads,
  ...kubernetesOverloads,
  ...netOverloads,
  ...semverOverloads,
  ...formatOverloads,
  ...authorizationOverloads
]);
var operators2 = new Map([...operatorFunctions, ...listFunctions]);

// packages/expressions/src/cel/call-plan.ts
var conversions = new Set("bool bytes double duration dyn int string timestamp type uint".split(" "));

// packages/expressions/src/cel/type-provider.ts
var standardIdents = new Map(
  [
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    nullType,
    stringType,
    timestampType,
    uintType,
    opaqueType("net.IP"),
    opaqueType("net.CIDR")
  ].map((type) => [type.name, typeOf(type)])
);
var declaredIdents = /* @__PURE__ */ new Map([
  ["duration", typeOf(durationType)],
  ["timestamp", typeOf(timestampType)]
]);
var genericIdents = /* @__PURE__ */ new Map([
  ["list", typeOf(listType(typeParameter("A")))],
  ["map", typeOf(mapType(typeParameter("A"), typeParameter("B")))],
  ["type", typeOf(typeType)],
  ["optional_type", typeOf(opaqueType("optional_type"))]
]);

// packages/expressions/src/cel/validators.ts
var integers = ["int", "uint"];
var allowedKinds = {
  s: ["list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"],
  d: integers,
  f: ["double", "string"],
  e: ["double", "string"],
  b: [...integers, "bool"],
  x: [...integers, "string", "bytes"],
  X: [...integers, "string", "bytes"],
  o: integers
};

// packages/expressions/src/cel/rule-budget.ts
var maxRequestBytes2 = 3 * 1024 * 1024;

// packages/apiserver/src/schema/pattern.ts
function compilePattern2(source) {
  try {
    return compilePattern(source);
  } catch (thrown) {
    if (thrown instanceof PatternError) return { error: thrown.message };
    throw thrown;
  }
}

// packages/apiserver/src/schema/structural.ts
var UNSUPPORTED = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"]
];
function structuralObstacle(schema) {
  for (const [name, shown2] of UNSUPPORTED) {
    if (schema[name] !== void 0 && schema[name] !== "") return `OpenAPIV3Schema '${shown2}' is not supported`;
  }
  const nested2 = schema.not === void 0 ? [] : [schema.not];
  for (const part of [...nested2, ...schema.allOf ?? [], ...schema.anyOf ?? [], ...schema.oneOf ?? []]) {
    const obstacle = structuralObstacle(part);
    if (obstacle !== void 0) return obstacle;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const parts = [schema.items, ...Object.values(schema.properties ?? {}), schema.additionalProperties];
  for (const part of parts) {
    const obstacle = typeof part === "object" ? structuralObstacle(part) : void 0;
    if (obstacle !== void 0) return obstacle;
  }
  return void 0;
}
function validateStructural(schema, path) {
  const errors = [...validateSkeleton(schema, "root", path), ...validateCompleteness(schema, schema, path, path)];
  const texts = new Map(errors.map((error) => [error, formatFieldError(error)]));
  const text2 = (error) => texts.get(error) ?? "";
  return errors.sort((a, b) => text2(a) < text2(b) ? -1 : text2(a) > text2(b) ? 1 : 0);
}
var MISSING_TYPE = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields"
};
function validateSkeleton(schema, level, path) {
  const errors = [];
  const { additionalProperties, items, properties = {}, type = "" } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const preservesUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isIntOrString = schema["x-kubernetes-int-or-string"] === true;
  if (type === "array" && items === void 0) errors.push(required(child(path, "items"), "must be specified"));
  if (items) errors.push(...validateSkeleton(items, "item", child(path, "items")));
  for (const [name, property] of Object.entries(properties)) {
    errors.push(...validateSkeleton(property, "field", key(child(path, "properties"), name)));
  }
  if (additionalProperties !== void 0) {
    const at = child(path, "additionalProperties");
    if (level === "root") errors.push(forbidden(at, "must not be used at the root"));
    if (typeof additionalProperties === "object") errors.push(...validateSkeleton(additionalProperties, "field", at));
    if (isEmbedded) errors.push(forbidden(at, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  if (isIntOrString && preservesUnknown) {
    const detail = "must be false if x-kubernetes-int-or-string is true";
    errors.push(invalid(child(path, "x-kubernetes-preserve-unknown-fields"), true, detail));
  }
  if (isIntOrString && isEmbedded) {
    const detail = "must be false if x-kubernetes-int-or-string is true";
    errors.push(invalid(child(path, "x-kubernetes-embedded-resource"), true, detail));
  }
  errors.push(
    ...validateValueValidation(schema, isIntOrStringPattern(schema.anyOf), isAllOfIntOrString(schema), level, path)
  );
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(child(path, "type"), detail) : invalid(child(path, "type"), type, detail));
  } else if (type === "" && !isIntOrString && !preservesUnknown) {
    errors.push(required(child(path, "type"), MISSING_TYPE[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(child(path, "type"), type, "must be object at the root"));
  }
  errors.push(...validateMetaFields(schema, level, path));
  if (isEmbedded && !preservesUnknown && Object.keys(properties).length === 0) {
    const detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(child(path, "properties"), detail));
  }
  return errors;
}
function validateMetaFields(schema, level, path) {
  const errors = [];
  const properties = child(path, "properties");
  const isResource = level === "root" || schema["x-kubernetes-embedded-resource"] === true;
  for (const name of ["kind", "apiVersion"]) {
    const property = schema.properties?.[name];
    if (!property || !isResource || property.type === "string") continue;
    errors.push(invalid(child(key(properties, name), "type"), property.type ?? "", "must be string"));
  }
  const metadata = schema.properties?.metadata;
  if (!metadata) return errors;
  const at = key(properties, "metadata");
  if (isResource && metadata.type !== "object")
    errors.push(invalid(child(at, "type"), metadata.type ?? "", "must be object"));
  if (level === "root" && saysMoreThanNames(metadata)) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(forbidden(at, detail));
  }
  return errors;
}
function saysMoreThanNames(metadata) {
  const { default: _default, properties = {}, type: _type, ...rest } = metadata;
  const saysOther = Object.values(rest).some((value2) => value2 !== void 0 && value2 !== false && value2 !== "");
  return saysOther || Object.keys(properties).some((name) => name !== "name" && name !== "generateName");
}
function isIntOrStringPattern(anyOf) {
  const [first, second2] = anyOf ?? [];
  return anyOf?.length === 2 && isOnlyType(first, "integer") && isOnlyType(second2, "string");
}
var isOnlyType = (schema, type) => schema?.type === type && Object.keys(schema).length === 1;
var isAllOfIntOrString = (schema) => isIntOrStringPattern(schema.allOf?.[0]?.anyOf);
function validateValueValidation(schema, skipAnyOf, skipFirstAllOfAnyOf, level, path) {
  const errors = [];
  const { allOf = [], anyOf = [], not, oneOf = [], pattern } = schema;
  if (!skipAnyOf) {
    for (const [i, part] of anyOf.entries())
      errors.push(...validateNested(part, false, level, index(child(path, "anyOf"), i)));
  }
  for (const [i, part] of allOf.entries()) {
    errors.push(...validateNested(part, skipFirstAllOfAnyOf && i === 0, level, index(child(path, "allOf"), i)));
  }
  for (const [i, part] of oneOf.entries())
    errors.push(...validateNested(part, false, level, index(child(path, "oneOf"), i)));
  if (not) errors.push(...validateNested(not, false, level, child(path, "not")));
  if (pattern !== void 0 && pattern !== "") {
    const compiled = compilePattern2(pattern);
    if ("error" in compiled) {
      const detail = `must be a valid regular expression, but isn't: ${compiled.error}`;
      errors.push(invalid(child(path, "pattern"), pattern, detail));
    }
  }
  return errors;
}
var FORBIDDEN_WHEN_NESTED = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"]
];
function validateNested(schema, skipAnyOf, level, path) {
  const errors = validateValueValidation(schema, skipAnyOf, false, level, path);
  if (schema.items) errors.push(...validateNested(schema.items, false, level, child(path, "items")));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...validateNested(property, false, "field", key(child(path, "properties"), name)));
  }
  for (const [name, detail] of FORBIDDEN_WHEN_NESTED) {
    const value2 = schema[name];
    if (value2 === void 0 || value2 === false || value2 === "") continue;
    if (Array.isArray(value2) && value2.length === 0) continue;
    errors.push(forbidden(child(path, name), detail));
  }
  if (schema.properties?.metadata) {
    errors.push(forbidden(key(child(path, "properties"), "metadata"), "must not be specified in a nested context"));
  }
  return errors;
}
function validateCompleteness(nested2, skeleton, skeletonPath, nestedPath) {
  const errors = [];
  const descend = (part, at) => errors.push(...validateNestedCompleteness(part, skeleton, skeletonPath, at));
  if (nested2.not) descend(nested2.not, child(nestedPath, "not"));
  for (const [i, part] of (nested2.allOf ?? []).entries()) descend(part, index(child(nestedPath, "allOf"), i));
  for (const [i, part] of (nested2.anyOf ?? []).entries()) descend(part, index(child(nestedPath, "anyOf"), i));
  for (const [i, part] of (nested2.oneOf ?? []).entries()) descend(part, index(child(nestedPath, "oneOf"), i));
  return errors;
}
function validateNestedCompleteness(nested2, skeleton, skeletonPath, nestedPath) {
  if (!skeleton) return [required(skeletonPath, `because it is defined in ${nestedPath}`)];
  const errors = validateCompleteness(nested2, skeleton, skeletonPath, nestedPath);
  if (nested2.items) {
    const [at, nestedAt] = [child(skeletonPath, "items"), child(nestedPath, "items")];
    errors.push(...validateNestedCompleteness(nested2.items, skeleton.items, at, nestedAt));
  }
  for (const [name, property] of Object.entries(nested2.properties ?? {})) {
    const at = key(child(skeletonPath, "properties"), name);
    const nestedAt = key(child(nestedPath, "properties"), name);
    const known = Object.hasOwn(skeleton.properties ?? {}, name) ? skeleton.properties?.[name] : void 0;
    errors.push(...validateNestedCompleteness(property, known, at, nestedAt));
  }
  return errors;
}

// packages/apiserver/src/schema/structural-node.ts
function structuralNode(schema) {
  const { additionalProperties, items, properties = {} } = schema;
  const node = {
    schema,
    properties: new Map(Object.entries(properties).map(([name, property]) => [name, structuralNode(property)])),
    items: items === void 0 ? void 0 : structuralNode(items),
    additional: typeof additionalProperties === "object" ? structuralNode(additionalProperties) : void 0,
    allowsAdditional: additionalProperties !== void 0,
    preservesUnknown: schema["x-kubernetes-preserve-unknown-fields"] === true,
    isEmbeddedResource: schema["x-kubernetes-embedded-resource"] === true,
    isNullable: schema.nullable === true,
    default: schema.default ?? void 0
  };
  return { ...node, contains: contentsOf(node) };
}
function contentsOf(node) {
  const parts = [...node.properties.values(), node.items, node.additional].filter((part) => part !== void 0);
  const listType2 = node.schema["x-kubernetes-list-type"];
  return {
    defaults: parts.some((part) => part.default !== void 0 || part.contains.defaults),
    embeddedResources: node.isEmbeddedResource || parts.some((part) => part.contains.embeddedResources),
    keyedLists: listType2 === "set" || listType2 === "map" || parts.some((part) => part.contains.keyedLists)
  };
}
var resourceNode = (node) => ({ ...node, isEmbeddedResource: true });
var isObject2 = (value2) => typeof value2 === "object" && value2 !== null && !Array.isArray(value2);
var getField = (object, key2) => Object.hasOwn(object, key2) ? object[key2] : void 0;

// packages/apiserver/src/schema/prune.ts
var META_FIELDS = /* @__PURE__ */ new Set(["apiVersion", "kind", "metadata"]);
function prune(object, schema, isResourceRoot) {
  const pruned = [];
  pruneValue(object, isResourceRoot ? resourceNode(schema) : schema, "", pruned);
  return pruned.sort();
}
function pruneValue(value2, node, path, pruned) {
  if (node?.preservesUnknown) {
    pruneKnownParts(value2, node, path, pruned);
    return;
  }
  if (Array.isArray(value2)) {
    for (let i = 0; i < value2.length; i++) pruneValue(value2[i], node?.items, `${path}[${i}]`, pruned);
    return;
  }
  if (!isObject2(value2)) return;
  for (const key2 of Object.keys(value2)) {
    if (node?.isEmbeddedResource && META_FIELDS.has(key2)) continue;
    const property = node?.properties.get(key2);
    if (property) pruneValue(value2[key2], property, join2(path, key2), pruned);
    else if (node?.allowsAdditional) pruneValue(value2[key2], node.additional, join2(path, key2), pruned);
    else {
      if (!META_FIELDS.has(key2) || path !== "") pruned.push(join2(path, key2));
      delete value2[key2];
    }
  }
}
function pruneKnownParts(value2, node, path, pruned) {
  if (Array.isArray(value2)) {
    if (!node.items) return;
    for (let i = 0; i < value2.length; i++) pruneKnownParts(value2[i], node.items, `${path}[${i}]`, pruned);
    return;
  }
  if (!isObject2(value2)) return;
  for (const key2 of Object.keys(value2)) {
    if (node.isEmbeddedResource && META_FIELDS.has(key2)) continue;
    const property = node.properties.get(key2);
    if (property) pruneValue(value2[key2], property, join2(path, key2), pruned);
    else if (node.allowsAdditional) pruneValue(value2[key2], node.additional, join2(path, key2), pruned);
  }
}
var join2 = (path, key2) => path === "" ? key2 : `${path}.${key2}`;
function pruneNulls(value2, node) {
  if (Array.isArray(value2)) {
    for (const item of value2) pruneNulls(item, node?.items);
    return;
  }
  if (!isObject2(value2)) return;
  for (const key2 of Object.keys(value2)) {
    const field = fieldNode(node, key2);
    if (value2[key2] === null && field && !field.isNullable && field.default === void 0) delete value2[key2];
    else pruneNulls(value2[key2], field);
  }
}
function fieldNode(node, key2) {
  return node?.properties.get(key2) ?? node?.additional;
}

// packages/apiserver/src/json-value.ts
function jsonEqual(a, b) {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a;
  const right = b;
  for (const key2 in left) if (left[key2] !== void 0 && !jsonEqual(left[key2], right[key2])) return false;
  for (const key2 in right) if (right[key2] !== void 0 && left[key2] === void 0) return false;
  return true;
}
function jsonCopy(value2) {
  if (typeof value2 !== "object" || value2 === null) return value2;
  if (Array.isArray(value2)) return value2.map(jsonCopy);
  const copy = {};
  for (const key2 of Object.keys(value2)) setField2(copy, key2, jsonCopy(value2[key2]));
  return copy;
}
function setField2(target, key2, value2) {
  if (key2 === "__proto__") {
    Object.defineProperty(target, key2, { value: value2, enumerable: true, configurable: true, writable: true });
  } else target[key2] = value2;
}

// packages/apiserver/src/schema/defaults.ts
function setDefaults(value2, node) {
  if (!node?.contains.defaults) return;
  if (Array.isArray(value2)) {
    for (let i = 0; i < value2.length; i++) {
      value2[i] = instead(value2[i], node.items);
      setDefaults(value2[i], node.items);
    }
    return;
  }
  if (!isObject2(value2)) return;
  for (const [name, property] of node.properties) {
    if (property.default === void 0) continue;
    if (!Object.hasOwn(value2, name) || value2[name] === null && !property.isNullable) {
      setField2(value2, name, jsonCopy(defaultOf(property)));
    }
  }
  for (const key2 of Object.keys(value2)) {
    const property = node.properties.get(key2);
    if (property) setDefaults(value2[key2], property);
    else if (node.additional) {
      setField2(value2, key2, instead(value2[key2], node.additional));
      setDefaults(value2[key2], node.additional);
    }
  }
}
function instead(value2, node) {
  if (value2 !== null || node === void 0 || node.isNullable) return value2;
  return node.default === void 0 ? null : jsonCopy(defaultOf(node));
}
var prunedDefaults = /* @__PURE__ */ new WeakMap();
function defaultOf(node) {
  const known = prunedDefaults.get(node);
  if (known !== void 0) return known;
  const pruned = jsonCopy(node.default);
  prune(pruned, node, node.isEmbeddedResource);
  prunedDefaults.set(node, pruned);
  return pruned;
}

// packages/apiserver/src/schema/string-format.ts
import { isIPv4, isIPv6 } from "node:net";

// packages/apiserver/src/schema/request-uri.ts
var SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*:/;
var HOST = /^(?:\[[0-9A-Fa-f:.]+(?:%25[^\]]*)?\]|[A-Za-z0-9\-._~!$&'()*+,;=<>"\u0080-\uffff]*)(?::\d*)?$/;
var USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
var BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
function isRequestUri(text2) {
  if (text2 === "" || /[\x00-\x1f\x7f]/.test(text2)) return false;
  if (text2 === "*") return true;
  if (text2.startsWith(":")) return false;
  const scheme = SCHEME.exec(text2)?.[0] ?? "";
  const rest = text2.slice(scheme.length).replace(/\?[^]*$/, "");
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme === "" || !rest.startsWith("//")) return !BAD_ESCAPE.test(rest);
  const end = rest.indexOf("/", 2);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
  const at = authority.lastIndexOf("@");
  if (at >= 0 && (!USER.test(authority.slice(0, at)) || BAD_ESCAPE.test(authority.slice(0, at)))) return false;
  return HOST.test(authority.slice(at + 1)) && !BAD_ESCAPE.test(end < 0 ? "" : rest.slice(end));
}

// packages/apiserver/src/schema/string-format.ts
function isKnownFormat(format, types) {
  const type = types.length === 1 ? types[0] : "";
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === "" || type === "string") && FORMATS.has(normalized(format));
}
var formatCheck = (format) => FORMATS.get(normalized(format));
var normalized = (format) => format.replaceAll("-", "");
var matches2 = (pattern) => (text2) => pattern.test(text2);
var HOSTNAME = /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
var COLOR_PART = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
var CREDIT_CARD = /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
var SHORT_NAME = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
var ATOM = "[\\w!#$%&'*+/=?^`{|}~\\-\\u0080-\\uffff]+";
var QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
var ADDRESS = `(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${ATOM}(?:\\.${ATOM})*|\\[[^\\]]*\\])`;
var FORMATS = /* @__PURE__ */ new Map([
  ["bsonobjectid", matches2(/^[0-9a-fA-F]{24}$/)],
  ["uri", isRequestUri],
  ["email", matches2(new RegExp(`^\\s*(?:${ADDRESS}|(?:(?:${ATOM}|${QUOTED}|\\.)\\s*)*<${ADDRESS}>)\\s*$`))],
  ["hostname", isHostname],
  ["ipv4", (text2) => text2.includes(".") && isIp(text2)],
  ["ipv6", (text2) => text2.includes(":") && isIPv6(text2) && !text2.includes("%")],
  ["cidr", isCidr],
  ["mac", isMac],
  ["uuid", matches2(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matches2(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matches2(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matches2(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["isbn", (text2) => isIsbn10(text2) || isIsbn13(text2)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["creditcard", isCreditCard],
  ["ssn", (text2) => text2.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text2)],
  ["hexcolor", matches2(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["rgbcolor", matches2(new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`))],
  ["byte", matches2(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ["password", () => true],
  ["date", isDate],
  ["duration", isDuration],
  ["datetime", isDateTime2],
  ["k8sshortname", (text2) => text2.length <= 63 && new RegExp(`^${SHORT_NAME}$`).test(text2)],
  ["k8slongname", (text2) => text2.length <= 253 && new RegExp(`^${SHORT_NAME}(?:\\.${SHORT_NAME})*$`).test(text2)]
]);
function isHostname(text2) {
  return HOSTNAME.test(text2) && Buffer.byteLength(text2) <= 255 && text2.split(".").every((part) => Buffer.byteLength(part) <= 63);
}
function isIp(text2) {
  if (text2.includes(":")) return isIPv6(text2) && !text2.includes("%");
  return /^[\d.]+$/.test(text2) && isIPv4(text2.replace(/(^|\.)0+(?=\d)/g, "$1"));
}
function isCidr(text2) {
  const slash = text2.indexOf("/");
  const bits = text2.slice(slash + 1);
  if (slash < 0 || !/^\d{1,3}$/.test(bits) || !isIp(text2.slice(0, slash))) return false;
  return Number(bits) <= (text2.includes(":") ? 128 : 32);
}
function isMac(text2) {
  const pairs = /^[0-9a-f]{2}(?:([:-])[0-9a-f]{2})(?:\1[0-9a-f]{2})*$/i.test(text2) ? (text2.length + 1) / 3 : 0;
  const quads = /^[0-9a-f]{4}(?:\.[0-9a-f]{4})+$/i.test(text2) ? (text2.length + 1) / 5 * 2 : 0;
  return [6, 8, 20].includes(Math.max(pairs, quads));
}
var withoutSpacesAndDashes = (text2) => text2.replace(/[\s-]+/g, "");
function isIsbn10(text2) {
  const digits = withoutSpacesAndDashes(text2);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum3 = digits.split("").reduce((total, digit, i) => total + (i + 1) * (digit === "X" ? 10 : Number(digit)), 0);
  return sum3 % 11 === 0;
}
function isIsbn13(text2) {
  const digits = withoutSpacesAndDashes(text2);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const weighted = digits.slice(0, 12).split("").map((digit, i) => (i % 2 === 0 ? 1 : 3) * Number(digit));
  const sum3 = weighted.reduce((total, part) => total + part, 0);
  return Number(digits[12]) === (10 - sum3 % 10) % 10;
}
function isCreditCard(text2) {
  const digits = text2.replace(/[^0-9]+/g, "");
  if (!CREDIT_CARD.test(digits)) return false;
  const parts = digits.split("").reverse().map((digit, i) => i % 2 === 1 ? Number(digit) * 2 : Number(digit));
  const sum3 = parts.reduce((total, part) => total + (part >= 10 ? part - 9 : part), 0);
  return sum3 % 10 === 0;
}
function isDate(text2) {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text2);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = /* @__PURE__ */ new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
function isDateTime2(text2) {
  const [date, time2] = text2.toLowerCase().split("t");
  if (date === void 0 || time2 === void 0 || !isDate(date)) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time2);
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}
var GO_DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
var UNITS = /* @__PURE__ */ new Set(["ns", "us", "\xB5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
var UNIT_WORDS = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
function isDuration(text2) {
  if (GO_DURATION.test(text2)) return true;
  for (const [, , unit = ""] of text2.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const lower = unit.toLowerCase();
    if (UNITS.has(lower) || UNIT_WORDS.some((word) => lower.startsWith(word))) return true;
  }
  return false;
}

// packages/apiserver/src/schema/validate-result.ts
var Finding = class {
  message;
  #name;
  #make;
  constructor(name, message, make) {
    this.#name = name;
    this.message = message;
    this.#make = make;
  }
  toFieldError(root) {
    const name = this.#name?.replace(/^\./, "") ?? "";
    return this.#make(name === "" ? root : child(root, name), this.message);
  }
};
var composite = (message) => new Finding(void 0, message, (field) => invalid(field, "", message));
var Result = class {
  findings = [];
  matches = 0;
  add(finding) {
    if (!this.findings.some((known) => known.message === finding.message)) this.findings.push(finding);
    return this;
  }
  merge(other) {
    for (const finding of other.findings) this.add(finding);
    this.matches += other.matches;
    return this;
  }
  get isValid() {
    return this.findings.length === 0;
  }
};
var EPSILON = 1e-9;
function isJsonInteger(value2) {
  if (!Number.isFinite(value2) || Math.abs(value2) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value2);
  if (value2 === whole) return true;
  if (value2 < 0 || whole === 0) return false;
  return Math.abs(value2 - whole) / (Math.abs(value2) + Math.abs(whole)) < EPSILON;
}

// packages/apiserver/src/schema/validate-number.ts
var INT32_HIGH = 2 ** 31 - 1;
var FLOAT32_HIGH = 34028234663852886e22;
var NumberCheck = class {
  #schema;
  #type;
  #format;
  constructor(schema, types, format) {
    const only = types.length === 1 ? types[0] : void 0;
    this.#schema = schema;
    this.#type = only === "integer" || only === "number" ? only : "";
    this.#format = this.#type === "" ? "" : format;
  }
  /** Whole numbers within whole bounds, and fractions where fractions are allowed. */
  surelyAccepts(value2) {
    if (!this.#fits(value2) || this.#type === "integer" && !Number.isSafeInteger(value2)) return false;
    const { exclusiveMaximum, exclusiveMinimum, maximum = Infinity, minimum = -Infinity } = this.#schema;
    if (exclusiveMaximum || exclusiveMinimum || !isPlainBound(maximum) || !isPlainBound(minimum)) return false;
    return value2 >= minimum && value2 <= maximum;
  }
  validate(value2, path) {
    const result = new Result();
    this.#checkRange(value2, "Checked", path, result);
    const { exclusiveMaximum = false, exclusiveMinimum = false, maximum, minimum, multipleOf } = this.#schema;
    if (multipleOf !== void 0) this.#validateMultiple(value2, multipleOf, path, result);
    if (minimum !== void 0) {
      const bound = this.#bound(value2, minimum, "Minimum boundary", path, result);
      if (exclusiveMinimum ? value2 <= bound : value2 < bound) {
        this.#add(
          path,
          value2,
          `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${boundText(bound)}`,
          result
        );
      }
    }
    if (maximum !== void 0) {
      const bound = this.#bound(value2, maximum, "Maximum boundary", path, result);
      if (exclusiveMaximum ? value2 >= bound : value2 > bound) {
        this.#add(
          path,
          value2,
          `should be less than ${exclusiveMaximum ? "" : "or equal to "}${boundText(bound)}`,
          result
        );
      }
    }
    result.matches++;
    return result;
  }
  #bound(value2, bound, prefix, path, result) {
    const isOfType = this.#checkRange(bound, prefix, path, result);
    return isOfType && isWhole(value2) ? Math.trunc(bound) : bound;
  }
  #validateMultiple(value2, factor, path, result) {
    const isOfType = this.#checkRange(factor, "MultipleOf", path, result);
    const whole = isOfType && isWhole(value2);
    const used = whole ? Math.trunc(factor) : factor;
    if (used <= 0) {
      const message = `factor MultipleOf declared for ${path} must be positive: ${goFloat(used)}`;
      result.add(new Finding(path, message, (field) => invalid(field, used, message)));
    } else if (whole ? BigInt(value2) % BigInt(used) !== 0n : !isMultiple(Number(value2), used)) {
      this.#add(path, value2, `should be a multiple of ${goFloat(used)}`, result);
    }
  }
  #add(path, value2, text2, result) {
    result.add(new Finding(path, `${path} in body ${text2}`, (field, message) => invalid(field, value2, message)));
  }
  /** Whether a number fits the type and format. The finding names no field: the real server's does not. */
  #checkRange(value2, prefix, path, result) {
    if (this.#fits(value2)) return true;
    const format = this.#format === "" ? "(default format)" : `with format ${this.#format}`;
    result.add(composite(`${prefix} value must be of type ${this.#type === "" ? "" : this.#type} ${format} in ${path}`));
    return false;
  }
  #fits(value2) {
    if (this.#type === "integer") {
      if (this.#format === "int32") return isWhole(value2) && value2 >= -INT32_HIGH - 1 && value2 <= INT32_HIGH;
      return typeof value2 === "bigint" || Number.isInteger(value2) && value2 >= -(2 ** 63) && value2 < 2 ** 63;
    }
    return this.#format !== "float" || Math.abs(Number(value2)) <= FLOAT32_HIGH;
  }
};
var isPlainBound = (bound) => Number.isSafeInteger(bound) || !Number.isFinite(bound);
var isWhole = (value2) => typeof value2 === "bigint" || Number.isSafeInteger(value2);
var isMultiple = (value2, factor) => isJsonInteger(factor < 1 ? 1 / factor * value2 : value2 / factor);
var boundText = (bound) => Number.isSafeInteger(bound) ? String(bound) : goFloat(bound);

// packages/apiserver/src/schema/validate.ts
function compileValidator(schema, field = "") {
  const validator = new SchemaValidator(schema, true);
  const errors = (result) => result.findings.map((finding) => finding.toFieldError(field));
  return {
    validate: (value2) => validator.surelyAccepts(value2) ? [] : errors(validator.validate(value2, "", void 0)),
    validateUpdate: (value2, correlation) => validator.surelyAccepts(value2) ? [] : errors(validator.validateRatcheting(value2, "", correlation))
  };
}
var invalidFinding = (path, value2, text2) => new Finding(path, `${path} in body ${text2}`, (field, message) => invalid(field, value2, message));
var COMPLEX = [
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "uniqueItems",
  "multipleOf",
  "minProperties",
  "maxProperties"
];
var failed = (finding) => new Result().add(finding);
var SchemaValidator = class _SchemaValidator {
  #schema;
  #types;
  #format;
  #checkFormat;
  #number;
  #properties;
  #additional;
  #items;
  #allOf;
  #anyOf;
  #oneOf;
  #not;
  /** The schema says nothing that needs a comparison of alternatives or a look at formats. */
  #isSimple;
  constructor(schema, isForValues) {
    const compile2 = (part) => new _SchemaValidator(part, isForValues);
    this.#schema = schema;
    this.#types = isForValues && schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : schema.type ? [schema.type] : [];
    const format = schema.format ?? "";
    this.#format = !isForValues || isKnownFormat(format, this.#types) ? format : "";
    this.#checkFormat = formatCheck(this.#format);
    this.#number = new NumberCheck(schema, this.#types, this.#format);
    this.#properties = new Map(Object.entries(schema.properties ?? {}).map(([name, part]) => [name, compile2(part)]));
    this.#additional = typeof schema.additionalProperties === "object" ? compile2(schema.additionalProperties) : void 0;
    this.#items = schema.items === void 0 ? void 0 : compile2(schema.items);
    this.#allOf = (schema.allOf ?? []).map(compile2);
    this.#anyOf = (schema.anyOf ?? []).map(compile2);
    this.#oneOf = (schema.oneOf ?? []).map(compile2);
    this.#not = schema.not === void 0 ? void 0 : compile2(schema.not);
    const isOpen = schema.additionalProperties !== false;
    this.#isSimple = isOpen && this.#types.length < 2 && !this.#checkFormat && COMPLEX.every((name) => !schema[name]);
  }
  /** Whether nothing is wrong, without finding out what. False may also mean that only `validate` can tell. */
  surelyAccepts(value2) {
    const schema = this.#schema;
    if (value2 === null) return schema.nullable === true && schema.enum === void 0;
    if (!this.#isSimple) return false;
    if (schema.enum !== void 0 && !(typeof value2 === "string" && schema.enum.includes(value2))) return false;
    const [type] = this.#types;
    switch (typeof value2) {
      case "string":
        return (type === void 0 || type === "string") && this.#validateString(value2, "").isValid;
      case "number":
        return (type === void 0 || type === "integer" || type === "number") && this.#number.surelyAccepts(value2);
      case "boolean":
        return type === void 0 || type === "boolean";
      case "object":
        return Array.isArray(value2) ? this.#surelyAcceptsItems(value2, type) : this.#surelyAcceptsFields(value2, type);
      default:
        return false;
    }
  }
  #surelyAcceptsItems(items, type) {
    const { maxItems = Infinity, minItems = 0 } = this.#schema;
    if (type !== void 0 && type !== "array" || items.length > maxItems || items.length < minItems) return false;
    const validator = this.#items;
    return validator === void 0 || items.every((item) => validator.surelyAccepts(item));
  }
  #surelyAcceptsFields(value2, type) {
    if (type !== void 0 && type !== "object") return false;
    for (const name of this.#schema.required ?? []) if (!Object.hasOwn(value2, name)) return false;
    for (const key2 of Object.keys(value2)) {
      const validator = this.#properties.get(key2) ?? this.#additional;
      if (validator !== void 0 && !validator.surelyAccepts(value2[key2])) return false;
    }
    return true;
  }
  validateRatcheting(value2, path, correlation) {
    const result = this.validate(value2, path, correlation);
    if (result.isValid || !correlation?.isUnchanged()) return result;
    const ratcheted = new Result();
    ratcheted.matches = result.matches;
    return ratcheted;
  }
  validate(value2, path, correlation) {
    const result = new Result();
    if (value2 === null) {
      return result.merge(this.#validateType(value2, path)).merge(this.#validateEnum(value2, path));
    }
    const apply = (part) => {
      result.merge(part);
      result.matches++;
    };
    if (this.#types.length > 0 || this.#format !== "") apply(this.#validateType(value2, path));
    apply(this.#validateAlternatives(value2, path));
    if (typeof value2 === "string") {
      apply(this.#validateString(value2, path));
      if (this.#checkFormat !== void 0) apply(this.#validateFormat(value2, path));
    }
    if (typeof value2 === "number" || typeof value2 === "bigint") apply(this.#number.validate(value2, path));
    if (Array.isArray(value2)) apply(this.#validateItems(value2, path, correlation));
    apply(this.#validateEnum(value2, path));
    if (isObject2(value2)) apply(this.#validateProperties(value2, path, correlation));
    result.matches++;
    return result;
  }
  #validateType(value2, path) {
    const types = this.#types;
    if (value2 === null) {
      if (types.length > 0 && this.#schema.nullable !== true) return this.#typeMismatch(path, types.join(","), "null");
      return matched();
    }
    const { type, format } = typeOf2(value2);
    const isWholeFloat = type === "number" && isJsonInteger(value2) && types.includes("integer");
    const isIntegerForNumber = type === "integer" && types.includes("number");
    const isText = type === "string" || type === "array";
    const wanted = this.#format;
    if (!isText && wanted !== "" && !(types.includes(type) || format === wanted || isWholeFloat || isIntegerForNumber)) {
      return this.#typeMismatch(path, wanted, format);
    }
    if (isText && wanted !== "" && !types.includes("number") && !types.includes("integer")) return matched();
    if (types.includes(type) || isWholeFloat || isIntegerForNumber) return matched();
    return this.#typeMismatch(path, types.join(","), type);
  }
  #typeMismatch(path, wanted, found) {
    const message = `${path} in body must be of type ${wanted}: ${goQuote(found)}`;
    return failed(new Finding(path, message, (field) => typeInvalid(field, found, message)));
  }
  #validateString(value2, path) {
    const { maxLength, minLength, pattern } = this.#schema;
    const length = maxLength === void 0 && minLength === void 0 ? 0 : countCharacters(value2);
    if (maxLength !== void 0 && length > maxLength) {
      const message = `${path} in body should be at most ${maxLength} chars long`;
      return failed(new Finding(path, message, (field) => tooLong(field, maxLength)));
    }
    if (minLength !== void 0 && length < minLength) {
      return failed(invalidFinding(path, value2, `should be at least ${minLength} chars long`));
    }
    if (pattern === void 0 || pattern === "") return new Result();
    const compiled = compilePattern2(pattern);
    if ("error" in compiled) {
      return failed(invalidFinding(path, value2, `should match '${pattern}, but pattern is invalid: ${compiled.error}'`));
    }
    return compiled.test(value2) ? new Result() : failed(invalidFinding(path, value2, `should match '${pattern}'`));
  }
  #validateFormat(value2, path) {
    return this.#checkFormat?.(value2) ? new Result() : this.#typeMismatch(path, this.#format, value2);
  }
  #validateEnum(value2, path) {
    const allowed = this.#schema.enum ?? [];
    if (allowed.length === 0) return new Result();
    if (value2 !== null && allowed.some((candidate) => candidate !== null && equalInEnum(value2, candidate)))
      return new Result();
    const texts = allowed.map((candidate) => typeof candidate === "string" ? candidate : JSON.stringify(candidate));
    const message = `${path} in body should be one of [${texts.join(" ")}]`;
    return failed(new Finding(path, message, (field) => notSupported(field, value2, texts)));
  }
  #validateItems(items, path, correlation) {
    const result = new Result();
    for (let i = 0; this.#items && i < items.length; i++) {
      result.merge(this.#items.validateRatcheting(items[i], `${path}[${i}]`, correlation?.index(i)));
    }
    const { maxItems, minItems, uniqueItems } = this.#schema;
    if (minItems !== void 0 && items.length < minItems) {
      result.add(invalidFinding(path, items.length, `should have at least ${minItems} items`));
    }
    if (maxItems !== void 0 && items.length > maxItems) {
      const message = `${path} in body should have at most ${maxItems} items`;
      result.add(new Finding(path, message, (field) => tooMany(field, items.length, maxItems)));
    }
    if (uniqueItems && items.some((item, i) => items.slice(0, i).some((other) => jsonEqual(item, other)))) {
      result.add(invalidFinding(path, "", "shouldn't contain duplicates"));
    }
    result.matches++;
    return result;
  }
  #validateProperties(value2, path, correlation) {
    const result = new Result();
    const keys = Object.keys(value2);
    const { additionalProperties, maxProperties, minProperties, required: needed = [] } = this.#schema;
    if (minProperties !== void 0 && keys.length < minProperties) {
      result.add(invalidFinding(path, keys.length, `should have at least ${minProperties} properties`));
    }
    if (maxProperties !== void 0 && keys.length > maxProperties) {
      const message = `${path} in body should have at most ${maxProperties} properties`;
      result.add(new Finding(path, message, (field) => tooMany(field, keys.length, maxProperties)));
    }
    for (const key2 of keys) {
      const property = this.#properties.get(key2);
      const field = value2[key2];
      const at = property !== void 0 && path === "" ? key2 : `${path}.${key2}`;
      if (property !== void 0) {
        const isTypeMeta = path === "" && (key2 === "kind" || key2 === "apiVersion");
        result.merge(property.validateRatcheting(field, at, isTypeMeta ? void 0 : correlation?.key(key2)));
      } else if (additionalProperties === false) {
        const message = `${path}.${key2} in body is a forbidden property`;
        result.add(new Finding(path, message, (name) => invalid(name, key2, message)));
      } else if (this.#additional) {
        result.merge(this.#additional.validateRatcheting(field, at, correlation?.key(key2)));
      }
    }
    for (const name of needed) {
      if (getField(value2, name) !== void 0) continue;
      const at = `${path}.${name}`;
      result.add(new Finding(at, `${at} in body is required`, (field) => required(field)));
    }
    return result;
  }
  #validateAlternatives(value2, path) {
    const main = new Result();
    if (this.#anyOf.length > 0) this.#validateAnyOf(value2, path, main);
    if (this.#oneOf.length > 0) this.#validateOneOf(value2, path, main);
    if (this.#allOf.length > 0) this.#validateAllOf(value2, path, main);
    if (this.#not?.validate(value2, path, void 0).isValid) {
      main.add(composite(`${goQuote(path)} must not validate the schema (not)`));
    }
    main.matches++;
    return main;
  }
  #validateAnyOf(value2, path, main) {
    let best;
    for (const alternative of this.#anyOf) {
      const result = alternative.validate(value2, path, void 0);
      if (result.isValid) {
        main.merge(result);
        return;
      }
      if (best === void 0 || result.matches > best.matches) best = result;
    }
    main.add(composite(`${goQuote(path)} must validate at least one schema (anyOf)`));
    if (best) main.merge(best);
  }
  #validateOneOf(value2, path, main) {
    let best;
    const valid2 = [];
    for (const alternative of this.#oneOf) {
      const result = alternative.validate(value2, path, void 0);
      if (result.isValid) valid2.push(result);
      else if (valid2.length === 0 && (best === void 0 || result.matches > best.matches)) best = result;
    }
    if (valid2.length === 1) {
      main.merge(valid2[0]);
      return;
    }
    const count = valid2.length === 0 ? "Found none valid" : `Found ${valid2.length} valid alternatives`;
    main.add(composite(`${goQuote(path)} must validate one and only one schema (oneOf). ${count}`));
    if (valid2.length === 0 && best) main.merge(best);
  }
  #validateAllOf(value2, path, main) {
    let valid2 = 0;
    for (const part of this.#allOf) {
      const result = part.validate(value2, path, void 0);
      if (result.isValid) valid2++;
      main.merge(result);
    }
    if (valid2 === this.#allOf.length) return;
    main.add(
      composite(`${goQuote(path)} must validate all the schemas (allOf)${valid2 === 0 ? ". None validated" : ""}`)
    );
  }
};
function countCharacters(text2) {
  let count = text2.length;
  for (let i = 0; i < text2.length; i++) {
    if ((text2.codePointAt(i) ?? 0) <= 65535) continue;
    count--;
    i++;
  }
  return count;
}
function matched() {
  const result = new Result();
  result.matches = 1;
  return result;
}
function typeOf2(value2) {
  if (Array.isArray(value2)) return { type: "array", format: "" };
  switch (typeof value2) {
    case "string":
      return { type: "string", format: "" };
    case "boolean":
      return { type: "boolean", format: "" };
    case "bigint":
      return { type: "integer", format: "int64" };
    case "number":
      return Number.isSafeInteger(value2) ? { type: "integer", format: "int64" } : { type: "number", format: "float64" };
    default:
      return { type: "object", format: "" };
  }
}
function equalInEnum(value2, candidate) {
  if (typeof value2 === "number" || typeof value2 === "bigint") {
    return (typeof candidate === "number" || typeof candidate === "bigint") && Number(value2) === Number(candidate);
  }
  return jsonEqual(value2, candidate);
}

// packages/apiserver/src/schema/list-type.ts
function validateListTypes(object, node) {
  const errors = [];
  if (node.contains.keyedLists) validateFields(object, node, "", errors);
  return errors;
}
function validateFields(object, node, path, errors) {
  for (const name of Object.keys(object)) {
    const value2 = object[name];
    if (node.additional) validateValue(value2, node.additional, key(path, name), errors);
    const property = node.properties.get(name);
    if (property) validateValue(value2, property, child(path, name), errors);
  }
}
function validateValue(value2, node, path, errors) {
  if (isObject2(value2)) validateFields(value2, node, path, errors);
  if (!Array.isArray(value2)) return;
  switch (node.schema["x-kubernetes-list-type"]) {
    case "set":
      for (const i of repeated(value2)) errors.push(duplicate(index(path, i), value2[i]));
      break;
    case "map":
      errors.push(...repeatedKeys(value2, node.schema["x-kubernetes-list-map-keys"] ?? [], path));
      break;
    default:
      break;
  }
  if (node.items) for (const [i, item] of value2.entries()) validateValue(item, node.items, index(path, i), errors);
}
function repeatedKeys(items, keys, path) {
  const stranger = items.findIndex((item) => item !== null && !isObject2(item));
  if (stranger >= 0) {
    return [invalid(index(path, stranger), items[stranger], "must be an object for an array of list-type map")];
  }
  const identities = items.map((item) => identity2(item, keys));
  return repeated(identities).map((i) => duplicate(index(path, i), identities[i]));
}
function identity2(item, keys) {
  const found = {};
  if (!isObject2(item)) return found;
  for (const name of keys) {
    const value2 = getField(item, name);
    if (value2 !== void 0) found[name] = value2;
  }
  return found;
}
function repeated(items) {
  const times = /* @__PURE__ */ new Map();
  const found = [];
  for (const [i, item] of items.entries()) {
    const text2 = sortedText(item);
    const seen = times.get(text2) ?? 0;
    times.set(text2, seen + 1);
    if (seen === 1) found.push(i);
  }
  return found;
}
function sortedText(value2) {
  if (Array.isArray(value2)) return `[${value2.map(sortedText).join(",")}]`;
  if (!isObject2(value2)) return stringifyJson(value2);
  const keys = Object.keys(value2).sort();
  return `{${keys.map((name) => `${JSON.stringify(name)}:${sortedText(value2[name])}`).join(",")}}`;
}

// packages/apiserver/src/schema/ratchet.ts
var Correlation = class _Correlation {
  value;
  old;
  #node;
  #children = /* @__PURE__ */ new Map();
  #oldItems;
  #equal;
  constructor(value2, old, node) {
    this.value = value2;
    this.old = old;
    this.#node = node;
  }
  /** Nothing in this part changed: what is wrong with it does not block the update. */
  isUnchanged() {
    this.#equal ??= this.#compare();
    return this.#equal;
  }
  key(field) {
    const known = this.#children.get(field);
    if (known) return known;
    const { value: value2, old } = this;
    if (!isObject2(value2) || !isObject2(old) || !Object.hasOwn(value2, field) || !Object.hasOwn(old, field))
      return void 0;
    const node = this.#node?.properties.get(field) ?? this.#node?.additional;
    if (node === void 0) return void 0;
    const child2 = new _Correlation(value2[field], old[field], node);
    this.#children.set(field, child2);
    return child2;
  }
  index(i) {
    const known = this.#children.get(i);
    if (known) return known;
    const { value: value2, old } = this;
    if (!Array.isArray(value2) || !Array.isArray(old) || i >= value2.length || !this.#node?.items) return void 0;
    if (this.#node.schema["x-kubernetes-list-type"] !== "map") return void 0;
    this.#oldItems ??= new KeyedList(this.#node, old);
    const counterpart = this.#oldItems.get(value2[i]);
    if (counterpart === void 0 || counterpart === null) return void 0;
    const child2 = new _Correlation(value2[i], counterpart, this.#node.items);
    this.#children.set(i, child2);
    return child2;
  }
  #compare() {
    const { value: value2, old } = this;
    if (Array.isArray(value2) && Array.isArray(old)) {
      if (value2.length !== old.length) return false;
      for (let i = 0; i < value2.length; i++) {
        const child2 = this.index(i);
        if (child2 === void 0) return this.#oldItems === void 0 && jsonEqual(value2, old);
        if (!child2.isUnchanged()) return false;
      }
      return true;
    }
    if (isObject2(value2) && isObject2(old)) {
      const keys = Object.keys(value2);
      return keys.length === Object.keys(old).length && keys.every((key2) => this.key(key2)?.isUnchanged() ?? false);
    }
    return jsonEqual(value2, old);
  }
};
var KeyedList = class {
  #keys;
  #items = /* @__PURE__ */ new Map();
  constructor({ schema }, items) {
    this.#keys = schema.type === "array" && schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] ?? [] : [];
    for (const item of items) {
      const key2 = this.#keyOf(item);
      if (key2 !== void 0 && !this.#items.has(key2)) this.#items.set(key2, item);
    }
  }
  get(like) {
    const key2 = this.#keyOf(like);
    return key2 === void 0 ? void 0 : this.#items.get(key2);
  }
  #keyOf(item) {
    if (!isObject2(item) || this.#keys.length === 0) return void 0;
    let key2 = "";
    for (const name of this.#keys) {
      const value2 = getField(item, name);
      if (value2 === void 0 || typeof value2 === "object") return void 0;
      key2 += `\0${typeof value2 === "string" ? JSON.stringify(value2) : String(value2)}`;
    }
    return key2;
  }
};

// packages/apiserver/src/zz-fuzz.ts
var seed = Number(process.argv[2] ?? 1);
var rnd = (n) => {
  seed = seed + 1831565813 | 0;
  let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) % n;
};
var pick = (...l) => l[rnd(l.length)];
var names = ["a", "b", "c", "d", "kind", "metadata", "constructor", "__proto__x"];
function vv(type, depth) {
  const v = {};
  const t = type ?? pick("string", "integer", "object", "array", "number");
  if (t === "string") {
    if (rnd(3) === 0) v.maxLength = rnd(4);
    if (rnd(4) === 0) v.minLength = rnd(3);
    if (rnd(4) === 0) v.pattern = pick("^a", "b$", "[0-9]+", "^$");
    if (rnd(4) === 0) v.enum = pick(["x", "ab"], [""]);
    if (rnd(4) === 0) v.format = pick("date", "ipv4", "foo", "int32", "uuid", "duration");
  }
  if (t === "integer" || t === "number") {
    if (rnd(3) === 0) v.maximum = pick(0, 3, 2.5, -1);
    if (rnd(4) === 0) v.exclusiveMaximum = true;
    if (rnd(3) === 0) v.minimum = pick(0, 1, 1.5, -3);
    if (rnd(5) === 0) v.exclusiveMinimum = true;
    if (rnd(4) === 0) v.multipleOf = pick(2, 0.5, 3);
    if (rnd(5) === 0) v.enum = [1, 2, 2.5];
    if (rnd(4) === 0) v.format = pick("int32", "int64", "float", "double", "x");
  }
  if (t === "array") {
    if (rnd(3) === 0) v.maxItems = rnd(3);
    if (rnd(4) === 0) v.minItems = rnd(3);
  }
  if (t === "object") {
    if (rnd(4) === 0) v.required = [pick(...names)];
    if (rnd(5) === 0) v.maxProperties = rnd(3);
    if (rnd(5) === 0) v.minProperties = rnd(3);
  }
  return v;
}
function nested(s, depth) {
  const v = vv(s.type, depth);
  if (s.type === "object" && s.properties && rnd(2) === 0) {
    const ks = Object.keys(s.properties);
    const k = pick(...ks);
    if (k && k !== "metadata") v.properties = { [k]: vv(s.properties[k].type, 0) };
  }
  if (rnd(15) === 0) v.type = "string";
  if (rnd(20) === 0) v.description = "x";
  if (rnd(20) === 0) v.properties = { zz: {} };
  if (depth > 0 && rnd(6) === 0) v.anyOf = [nested(s, depth - 1), nested(s, depth - 1)];
  return v;
}
function gen(depth, root = false) {
  const type = root ? rnd(40) === 0 ? void 0 : "object" : depth === 0 ? pick("string", "integer", "number", "boolean") : pick("string", "integer", "number", "boolean", "array", "object", "object", "object", void 0);
  const s = { ...vv(type, depth) };
  if (type) s.type = type;
  else if (rnd(2) === 0) {
    s["x-kubernetes-int-or-string"] = true;
    if (rnd(3) === 0) s.anyOf = [{ type: "integer" }, { type: "string" }];
  } else if (rnd(2) === 0) s["x-kubernetes-preserve-unknown-fields"] = true;
  if (rnd(6) === 0) s.nullable = true;
  if (type === "array") {
    s.items = gen(depth - 1);
    if (rnd(3) === 0) {
      s["x-kubernetes-list-type"] = pick("set", "map", "atomic");
      if (s["x-kubernetes-list-type"] === "map") {
        s["x-kubernetes-list-map-keys"] = pick(["a"], ["a", "b"]);
        s.items = { type: "object", properties: { a: gen(0), b: gen(0), c: gen(0) } };
      }
    }
  }
  if (type === "object") {
    if (!root && rnd(4) === 0) s.additionalProperties = rnd(4) === 0 ? true : gen(depth - 1);
    else {
      s.properties = {};
      for (let i = rnd(4) + (root ? 2 : 0); i > 0; i--) s.properties[pick(...names.slice(0, root ? 4 : 7))] = gen(depth - 1);
    }
    if (rnd(6) === 0) s["x-kubernetes-preserve-unknown-fields"] = true;
  }
  if (rnd(5) === 0) s[pick("anyOf", "allOf", "oneOf")] = [nested(s, 1), nested(s, 1)];
  if (rnd(12) === 0) s.not = nested(s, 1);
  if (rnd(5) === 0 && type) s.default = value({ type }, 1);
  return s;
}
function value(s, depth) {
  if (rnd(12) === 0) return pick(null, "", "ab", 1, 2.5, true, [], {}, [null], -1, 1e10, "x", 5e-7);
  switch (s.type) {
    case "string":
      return pick("", "a", "ab", "x", "12", "\xE4\xF6\xFC", "2020-01-01", "1.2.3.4", "5s");
    case "integer":
      return pick(0, 1, 2, 3, 5, -1, 100, 3e9);
    case "number":
      return pick(0, 1, 2.5, -0.5, 3, 1e22);
    case "boolean":
      return rnd(2) === 0;
    case "array":
      return Array.from({ length: rnd(4) }, () => value(s.items ?? {}, depth - 1));
    case "object": {
      const o = {};
      for (const [k, p] of Object.entries(s.properties ?? {})) if (rnd(4) > 0) o[k] = value(p, depth - 1);
      if (typeof s.additionalProperties === "object") {
        for (const k of ["p", "q"]) if (rnd(2) === 0) o[k] = value(s.additionalProperties, depth - 1);
      }
      if (rnd(5) === 0) o[pick("zzz", "constructor", "a")] = value({}, 0);
      return o;
    }
    default:
      return pick(null, "x", 1, { u: 1 }, ["v"], 2.5, true);
  }
}
var mut = (v) => {
  if (rnd(8) === 0) return value({}, 1);
  if (Array.isArray(v)) return v.map((x) => rnd(5) === 0 ? mut(x) : x);
  if (v && typeof v === "object") return Object.fromEntries(Object.entries(v).filter(() => rnd(8) > 0).map(([k, x]) => [k, rnd(4) === 0 ? mut(x) : x]));
  return v;
};
var cases = Array.from({ length: 3e3 }, () => {
  const schema = gen(3, true);
  let object = value({ ...schema, type: "object" }, 3);
  if (!object || typeof object !== "object" || Array.isArray(object)) object = {};
  let old = rnd(3) === 0 ? JSON.parse(JSON.stringify(object)) : mut(object);
  if (!old || typeof old !== "object" || Array.isArray(old)) old = {};
  return { schema, object, old };
});
var r = spawnSync("/tmp/work/crdhelp/go2/oracle", { input: cases.map((c) => JSON.stringify(c)).join("\n") + "\n", maxBuffer: 1 << 30 });
if (r.stderr.length) console.log(r.stderr.toString().slice(0, 600));
var lines = r.stdout.toString().trim().split("\n");
var TYPES = { FieldValueTypeInvalid: "FieldValueTypeInvalid" };
var text = (e) => {
  const f = formatFieldError(e);
  const i = f.indexOf(": ");
  return `${e.field === "" ? "<nil>" : e.field}|${TYPES[e.type] ?? e.type}|${f.slice((e.field === "" ? "<nil>" : e.field).length + 2)}`;
};
var list = (es) => es.map(text).sort();
var dropType = (l) => Array.isArray(l) ? l.map((x) => x.replace(/^([^|]*)\|[^|]*\|/, "$1|")).sort() : l;
var norm = (v) => Array.isArray(v) ? v.map(norm) : v && typeof v === "object" ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, norm(v[k])])) : v;
var bad = 0;
var valid = 0;
var structural = 0;
var shown = /* @__PURE__ */ new Set();
for (const [i, c] of cases.entries()) {
  const want = parseJson(lines[i]);
  const { schema, object, old } = c;
  const got = {};
  const ob = structuralObstacle(schema);
  if (ob) got.obstacle = ob;
  else {
    got.structural = list(validateStructural(schema, "s"));
    if (got.structural.length === 0) {
      const n = structuralNode(schema);
      got.unknown = prune(object, n, true);
      pruneNulls(object, n);
      setDefaults(object, n);
      prune(old, n, true);
      pruneNulls(old, n);
      setDefaults(old, n);
      const v = compileValidator(schema);
      got.errors = list(v.validate(object));
      got.update = list(v.validateUpdate(object, new Correlation(object, old, n)));
      got.lists = list(validateListTypes(object, n));
      got.object = object;
      if (got.errors.length === 0) valid++;
    } else structural++;
  }
  if (want.unknown === null) want.unknown = [];
  for (const k of ["structural", "errors", "update", "lists"]) {
    if (want[k]) want[k] = dropType(want[k]);
    if (got[k]) got[k] = dropType(got[k]);
  }
  for (const k of /* @__PURE__ */ new Set([...Object.keys(want), ...Object.keys(got)])) {
    const a = stringifyJson(norm(got[k] ?? null)), b = stringifyJson(norm(want[k] ?? null));
    if (a !== b) {
      bad++;
      if (shown.size < 12) {
        const w = want[k] ?? [], g = got[k] ?? [];
        const what = Array.isArray(w) ? `${k}: want only ${JSON.stringify(w.filter((x) => !g.includes(x))).slice(0, 500)} got only ${JSON.stringify(g.filter((x) => !w.includes(x))).slice(0, 500)}` : `${k}: want ${b.slice(0, 300)} got ${a.slice(0, 300)}`;
        shown.add(what);
        console.log(what, "\n   ", JSON.stringify(schema).slice(0, 700), "\n   ", JSON.stringify(cases[i].object).slice(0, 300));
      }
      break;
    }
  }
}
console.log({ cases: cases.length, bad, valid, structural });
/*! Bundled license information:

re2js/build/index.js:
  (*!
  * re2js
  * RE2JS is the JavaScript port of RE2, a regular expression engine that provides linear time matching
  *
  * @version v2.10.0
  * @author Oleksii Vasyliev
  * @homepage https://github.com/le0pard/re2js#readme
  * @repository [object Object]
  * @license MIT
  *)
*/
