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
import { randomFillSync } from "node:crypto";
var POOL_SIZE, pool, poolAt, systemRandom, HEX;
var init_random = __esm({
  "packages/env/src/random.ts"() {
    "use strict";
    POOL_SIZE = 4096;
    pool = new Uint8Array(POOL_SIZE);
    poolAt = POOL_SIZE;
    systemRandom = {
      next: () => {
        const b = systemRandom.bytes(6);
        let value = 0;
        for (let i = 0; i < 6; i++) value = value * 256 + b[i];
        return value / 2 ** 48;
      },
      bytes: (length) => {
        if (length > POOL_SIZE) return randomFillSync(new Uint8Array(length));
        if (poolAt + length > POOL_SIZE) {
          randomFillSync(pool);
          poolAt = 0;
        }
        const out2 = pool.slice(poolAt, poolAt + length);
        pool.fill(0, poolAt, poolAt + length);
        poolAt += length;
        return out2;
      }
    };
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
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
var init_failure = __esm({
  "packages/env/src/failure.ts"() {
    "use strict";
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
var init_go_quote = __esm({
  "packages/kube/src/go-quote.ts"() {
    "use strict";
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
    spell = (value, ...spellings) => {
      for (const spelling of spellings) WORDS.set(spelling, value);
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
  return (text) => regexp.test(text);
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
var GREATEST_INT64 = 2n ** 63n - 1n;
var LEAST_INT64 = -(2n ** 63n);

// packages/kube/src/web-socket.ts
import { createHash } from "node:crypto";
init_src();
import { Duplex } from "node:stream";

// packages/kube/src/web-socket-frames.ts
var OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
var WebSocketProtocolError = class extends Error {
};
var FIN = 128;
var RESERVED = 112;
var MASKED = 128;
var LENGTH_16 = 126;
var LENGTH_64 = 127;
var LONGEST_CONTROL_PAYLOAD = 125;
function encodeFrame(opcode, payload, mask) {
  const { length } = payload;
  const extended = length < LENGTH_16 ? 0 : length < 65536 ? 2 : 8;
  const frame = Buffer.alloc(2 + extended + (mask ? 4 : 0) + length);
  frame[0] = FIN | opcode;
  frame[1] = (mask ? MASKED : 0) | (extended === 0 ? length : extended === 2 ? LENGTH_16 : LENGTH_64);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const start = frame.length - length;
  if (mask) frame.set(mask, start - 4);
  frame.set(payload, start);
  if (mask) applyMask(frame.subarray(start), mask);
  return frame;
}
function applyMask(bytes, mask) {
  for (let i = 0; i < bytes.length; i++) bytes[i] = bytes[i] ^ mask[i & 3];
}
var WebSocketFrameReader = class {
  #expectsMask;
  #largest;
  #pieces = [];
  #length = 0;
  /** How many bytes the next frame needs, as far as is known. */
  #needed = 2;
  constructor(options) {
    this.#expectsMask = options.expectsMask;
    this.#largest = options.largest;
  }
  /** The frames that are complete now. */
  push(piece) {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const frames = [];
    while (this.#length >= this.#needed) {
      const bytes = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces, this.#length);
      const frame = this.#take(bytes);
      this.#pieces = [frame ? bytes.subarray(this.#needed) : bytes];
      this.#length = this.#pieces[0].length;
      if (!frame) continue;
      frames.push(frame);
      this.#needed = 2;
    }
    return frames;
  }
  /** The frame at the start of the bytes; undefined, with a new `#needed`, when it is not all there. */
  #take(bytes) {
    const first = bytes[0];
    const second = bytes[1];
    const short = second & 127;
    const extended = short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0;
    const maskLength = (second & MASKED) === 0 ? 0 : 4;
    const head = 2 + extended + maskLength;
    if (bytes.length < head) {
      this.#needed = head;
      return void 0;
    }
    const length = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    this.#check(first, maskLength > 0, length);
    this.#needed = head + length;
    if (bytes.length < this.#needed) return void 0;
    const payload = Buffer.from(bytes.subarray(head, this.#needed));
    if (maskLength > 0) applyMask(payload, bytes.subarray(head - 4, head));
    return { opcode: first & 15, isLast: (first & FIN) !== 0, payload };
  }
  #check(first, isMasked, length) {
    if ((first & RESERVED) !== 0) throw new WebSocketProtocolError("a frame uses an extension that was not agreed");
    if (isMasked !== this.#expectsMask) {
      throw new WebSocketProtocolError(isMasked ? "a server masked its frame" : "a client did not mask its frame");
    }
    const isControl = (first & 8) !== 0;
    if (isControl && (length > LONGEST_CONTROL_PAYLOAD || (first & FIN) === 0)) {
      throw new WebSocketProtocolError("a control frame is too long or in parts");
    }
    if (length > this.#largest) throw new WebSocketProtocolError(`a frame is larger than ${this.#largest} bytes`);
  }
};

// packages/kube/src/web-socket.ts
function acceptWebSocket(request, socket, head, supported) {
  const { upgrade, "sec-websocket-key": key, "sec-websocket-version": version } = request.headers;
  const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const protocol = offered.find((name) => supported.includes(name));
  if (upgrade?.toLowerCase() !== "websocket" || version !== "13" || !key || protocol === void 0) return void 0;
  socket.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Accept: ${acceptKeyFor(key)}`,
      `Sec-WebSocket-Protocol: ${protocol}`,
      "\r\n"
    ].join("\r\n")
  );
  return { protocol, socket: new WebSocketDuplex(socket, head, { role: "server", random: systemRandom }) };
}
var GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
function acceptKeyFor(key) {
  return createHash("sha1").update(key + GUID).digest("base64");
}
var LARGEST_MESSAGE = 64 * 1024 * 1024;
var CLOSE_NORMALLY = Uint8Array.of(1e3 >> 8, 1e3 & 255);
var WebSocketDuplex = class extends Duplex {
  #socket;
  #isClient;
  #random;
  #frames;
  /** The parts of a message whose last part has not come. */
  #parts = [];
  #partsLength = 0;
  #saidGoodbye = false;
  constructor(socket, head, { role, random }) {
    super({ objectMode: true, allowHalfOpen: true });
    this.#socket = socket;
    this.#isClient = role === "client";
    this.#random = random;
    this.#frames = new WebSocketFrameReader({ expectsMask: role === "server", largest: LARGEST_MESSAGE });
    socket.on("data", (piece) => this.#receive(piece));
    socket.on("error", (error) => this.destroy(error));
    const onEnd = () => this.destroy(this.#saidGoodbye ? void 0 : brokenOff());
    socket.on("end", onEnd);
    socket.on("close", onEnd);
    if (head.length > 0) this.#receive(head);
  }
  #receive(piece) {
    try {
      for (const frame of this.#frames.push(piece)) this.#take(frame);
    } catch (thrown) {
      this.destroy(thrown);
    }
  }
  #take({ opcode, isLast, payload }) {
    switch (opcode) {
      case OPCODE.ping:
        this.#send(OPCODE.pong, payload);
        return;
      case OPCODE.pong:
        return;
      case OPCODE.close:
        this.#sayGoodbye();
        this.push(null);
        this.end();
        this.#socket.end();
        return;
      case OPCODE.continuation:
      case OPCODE.text:
      case OPCODE.binary:
        return this.#takePart(payload, isLast);
      default:
        throw new WebSocketProtocolError(`a frame has the unknown opcode ${opcode}`);
    }
  }
  #takePart(payload, isLast) {
    this.#parts.push(payload);
    this.#partsLength += payload.length;
    if (this.#partsLength > LARGEST_MESSAGE) throw new WebSocketProtocolError("a message is too large");
    if (!isLast) return;
    const message = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts, this.#partsLength);
    this.#parts = [];
    this.#partsLength = 0;
    if (!this.push(message)) this.#socket.pause();
  }
  _read() {
    this.#socket.resume();
  }
  _write(message, _encoding, done) {
    if (this.#saidGoodbye) return done();
    this.#send(OPCODE.binary, typeof message === "string" ? Buffer.from(message) : message, done);
  }
  _final(done) {
    this.#sayGoodbye();
    done();
  }
  _destroy(error, done) {
    if (this.#saidGoodbye && !error) this.#socket.end(() => this.#socket.destroy());
    else this.#socket.destroy();
    done(error);
  }
  #sayGoodbye() {
    if (this.#saidGoodbye) return;
    this.#saidGoodbye = true;
    this.#send(OPCODE.close, CLOSE_NORMALLY);
  }
  #send(opcode, payload, done) {
    if (!this.#socket.writable) {
      done?.();
      return;
    }
    this.#socket.write(encodeFrame(opcode, payload, this.#isClient ? this.#random.bytes(4) : void 0), done);
  }
};
var brokenOff = () => new Error("the connection ended without a goodbye");

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
import { once } from "node:events";
import { Duplex as Duplex2 } from "node:stream";

// packages/kube/src/spdy-framer.ts
var RST_STATUS = { protocolError: 1, invalidStream: 2, refusedStream: 3, cancel: 5, internalError: 6 };
var TYPES = {
  "syn-stream": 1,
  "syn-reply": 2,
  "rst-stream": 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  headers: 8,
  "window-update": 9
};
var VERSION = 3;
var HEAD = 8;
var FLAG_LAST = 1;
var CONTROL_BIT = 32768;
var STREAM_ID_MASK = 2147483647;
var LARGEST_PAYLOAD = 2 ** 24 - 1;
function encodeFrame2(frame) {
  switch (frame.type) {
    case "data": {
      const head = Buffer.alloc(HEAD);
      head.writeUInt32BE(frame.streamId & STREAM_ID_MASK);
      return finish(head, frame.isLast, frame.data);
    }
    case "syn-stream":
      return control(
        frame,
        frame.isLast,
        numbers(frame.streamId, 0),
        Uint8Array.of(frame.priority << 5, 0),
        frame.headerBlock
      );
    case "syn-reply":
    case "headers":
      return control(frame, frame.isLast, numbers(frame.streamId), frame.headerBlock);
    case "rst-stream":
      return control(frame, false, numbers(frame.streamId, frame.status));
    case "settings":
      return control(frame, false, frame.payload);
    case "ping":
      return control(frame, false, numbers(frame.id));
    case "goaway":
      return control(frame, false, numbers(frame.lastStreamId, frame.status));
    case "window-update":
      return control(frame, false, numbers(frame.streamId, frame.delta));
  }
}
function control({ type }, isLast, ...parts) {
  const head = Buffer.alloc(HEAD);
  head.writeUInt16BE(CONTROL_BIT | VERSION);
  head.writeUInt16BE(TYPES[type], 2);
  return finish(head, isLast, ...parts);
}
function finish(head, isLast, ...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length > LARGEST_PAYLOAD) throw new Error("a frame is too large");
  head.writeUInt32BE(length, 4);
  head[4] = isLast ? FLAG_LAST : 0;
  return Buffer.concat([head, ...parts]);
}
function numbers(...values) {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}
var SpdyFrameReader = class {
  #pending = Buffer.alloc(0);
  /** The frames that are complete now. Throws when the bytes are no SPDY. */
  push(piece) {
    const frames = [];
    this.#pending = this.#pending.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#pending, piece]);
    while (this.#pending.length >= HEAD) {
      const length = this.#pending.readUInt32BE(4) & LARGEST_PAYLOAD;
      if (this.#pending.length < HEAD + length) break;
      const frame = decodeFrame(this.#pending.subarray(0, HEAD), this.#pending.subarray(HEAD, HEAD + length));
      this.#pending = this.#pending.subarray(HEAD + length);
      if (frame) frames.push(frame);
    }
    return frames;
  }
};
function decodeFrame(head, payload) {
  const isLast = (head[4] & FLAG_LAST) !== 0;
  if ((head.readUInt16BE() & CONTROL_BIT) === 0) {
    return { type: "data", streamId: head.readUInt32BE(), data: payload, isLast };
  }
  const version = head.readUInt16BE() & ~CONTROL_BIT;
  if (version !== VERSION) throw new Error(`the other side speaks SPDY/${version}`);
  const number = (at) => {
    if (payload.length < at + 4) throw new Error("a frame is too short");
    return payload.readUInt32BE(at);
  };
  const streamId = () => number(0) & STREAM_ID_MASK;
  switch (head.readUInt16BE(2)) {
    case TYPES["syn-stream"]: {
      const priority = number(6) >>> 13 & 7;
      return { type: "syn-stream", streamId: streamId(), headerBlock: payload.subarray(10), isLast, priority };
    }
    case TYPES["syn-reply"]:
      return { type: "syn-reply", streamId: streamId(), headerBlock: payload.subarray(4), isLast };
    case TYPES.headers:
      return { type: "headers", streamId: streamId(), headerBlock: payload.subarray(4), isLast };
    case TYPES["rst-stream"]:
      return { type: "rst-stream", streamId: streamId(), status: number(4) };
    case TYPES.settings:
      return { type: "settings", payload };
    case TYPES.ping:
      return { type: "ping", id: number(0) };
    case TYPES.goaway:
      return { type: "goaway", lastStreamId: streamId(), status: number(4) };
    case TYPES["window-update"]:
      return { type: "window-update", streamId: streamId(), delta: number(4) & STREAM_ID_MASK };
    default:
      return void 0;
  }
}

// packages/kube/src/spdy-headers.ts
import { createInflate } from "node:zlib";
var COMMON_NAMES = "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin".split(" ").map((name) => name.replace("_", " "));
var COMMON_VALUES = "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";
var DICTIONARY = Buffer.concat([...COMMON_NAMES.map(lengthAndText), Buffer.from(COMMON_VALUES)]);
var LARGEST_BLOCK = 64 * 1024;
var MOST_HEADERS = 1e3;
function lengthAndText(text) {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
var SpdyHeaderWriter = class {
  #isFirst = true;
  write(headers) {
    const entries = Object.entries(headers);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(entries.length);
    const block = Buffer.concat([
      count,
      ...entries.flatMap(([name, value]) => [lengthAndText(name.toLowerCase()), lengthAndText(value)])
    ]);
    if (block.length > LARGEST_BLOCK - 1) throw new Error("the headers of a stream are too large");
    const start = this.#isFirst ? streamStart() : Buffer.alloc(0);
    this.#isFirst = false;
    return Buffer.concat([start, storedHead(block.length), block, FLUSH]);
  }
};
function storedHead(length) {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(length, 1);
  head.writeUInt16LE(~length & 65535, 3);
  return head;
}
var FLUSH = storedHead(0);
function streamStart() {
  const start = Buffer.from([120, 32, 0, 0, 0, 0]);
  start.writeUInt32BE(adler32(DICTIONARY), 2);
  return start;
}
function adler32(bytes) {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}
var SpdyHeaderReader = class {
  #inflate = createInflate({ dictionary: DICTIONARY });
  #plain = [];
  #broken;
  constructor() {
    this.#inflate.on("data", (piece) => this.#plain.push(piece));
    this.#inflate.on("error", (error) => {
      this.#broken = error;
    });
  }
  async read(block) {
    await new Promise((resolve, reject) => {
      this.#inflate.once("error", reject);
      this.#inflate.write(block, () => {
        this.#inflate.off("error", reject);
        if (this.#broken) reject(this.#broken);
        else resolve();
      });
    });
    const plain = Buffer.concat(this.#plain);
    this.#plain = [];
    return parseHeaders(plain);
  }
  close() {
    this.#inflate.close();
  }
};
function parseHeaders(block) {
  if (block.length < 4) throw new Error("a block of headers is cut off");
  const count = block.readUInt32BE(0);
  if (count > MOST_HEADERS || block.length > LARGEST_BLOCK) throw new Error("the headers of a stream are too large");
  const headers = {};
  let at = 4;
  const text = () => {
    const length = block.readUInt32BE(at);
    at += 4;
    if (at + length > block.length) throw new Error("a block of headers is cut off");
    const value = block.toString("utf8", at, at + length);
    at += length;
    return value;
  };
  for (let i = 0; i < count; i++) {
    const name = text();
    headers[name] = text();
  }
  return headers;
}

// packages/kube/src/spdy-connection.ts
var LONGEST_FRAME = 32 * 1024;
var UNREAD_BYTES_BEFORE_WAIT = 1024 * 1024;
function createSpdyConnection(socket, options) {
  return new Connection(socket, options);
}
var Connection = class {
  closed;
  #socket;
  #options;
  #streams = /* @__PURE__ */ new Map();
  #headerWriter = new SpdyHeaderWriter();
  #headerReader = new SpdyHeaderReader();
  #nextId;
  #lastRemoteId = 0;
  constructor(socket, options) {
    this.#socket = socket;
    this.#options = options;
    this.#nextId = options.role === "client" ? 1 : 2;
    this.closed = this.#read();
  }
  openStream(headers) {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = this.#addStream(id, headers);
    const headerBlock = this.#headerWriter.write(headers);
    this.#send({ type: "syn-stream", streamId: id, headerBlock, isLast: false, priority: 0 });
    return stream;
  }
  close() {
    if (!this.#socket.destroyed) this.#send({ type: "goaway", lastStreamId: this.#lastRemoteId, status: 0 });
    this.#socket.end();
    for (const stream of Array.from(this.#streams.values())) stream.closedByOwner();
    this.#end(void 0);
  }
  async #read() {
    const frames = new SpdyFrameReader();
    try {
      for await (const piece of this.#socket) {
        for (const frame of frames.push(piece)) await this.#take(frame);
      }
      this.#end(void 0);
    } catch (thrown) {
      this.#end(asError(thrown));
      this.#socket.destroy();
    }
  }
  async #take(frame) {
    switch (frame.type) {
      case "syn-stream":
        return this.#accept(frame.streamId, await this.#headerReader.read(frame.headerBlock), frame.isLast);
      case "syn-reply":
      case "headers":
        await this.#headerReader.read(frame.headerBlock);
        if (frame.isLast) this.#streams.get(frame.streamId)?.receiveEnd();
        return;
      case "data": {
        const stream = this.#streams.get(frame.streamId);
        if (!stream)
          return this.#send({ type: "rst-stream", streamId: frame.streamId, status: RST_STATUS.invalidStream });
        await stream.receive(frame.data);
        if (frame.isLast) stream.receiveEnd();
        return;
      }
      case "rst-stream":
        return this.#streams.get(frame.streamId)?.receiveReset(frame.status);
      case "ping": {
        const isTheirs = frame.id % 2 === 1 === (this.#options.role === "server");
        return isTheirs ? this.#send(frame) : void 0;
      }
      case "goaway":
      case "settings":
      case "window-update":
        return;
    }
  }
  #accept(id, headers, isLast) {
    const { onStream } = this.#options;
    if (!onStream || this.#streams.has(id)) {
      return this.#send({ type: "rst-stream", streamId: id, status: RST_STATUS.refusedStream });
    }
    this.#lastRemoteId = id;
    const stream = this.#addStream(id, headers);
    this.#send({ type: "syn-reply", streamId: id, headerBlock: this.#headerWriter.write({}), isLast: false });
    if (isLast) stream.receiveEnd();
    try {
      onStream(stream);
    } catch (thrown) {
      stream.destroy(asError(thrown));
    }
  }
  #addStream(id, headers) {
    const stream = new Stream(headers, {
      sendData: (data, isLast) => this.#sendData(id, data, isLast),
      reset: () => this.#send({ type: "rst-stream", streamId: id, status: RST_STATUS.cancel }),
      forget: () => this.#streams.delete(id)
    });
    this.#streams.set(id, stream);
    return stream;
  }
  async #sendData(streamId, data, isLast) {
    for (let at = 0; at === 0 || at < data.length; at += LONGEST_FRAME) {
      const part = data.subarray(at, at + LONGEST_FRAME);
      const isFree = this.#write({
        type: "data",
        streamId,
        data: part,
        isLast: isLast && at + LONGEST_FRAME >= data.length
      });
      if (!isFree) await Promise.race([once(this.#socket, "drain"), once(this.#socket, "close")]);
    }
  }
  #send(frame) {
    this.#write(frame);
  }
  #write(frame) {
    return this.#socket.writable ? this.#socket.write(encodeFrame2(frame)) : true;
  }
  #end(error) {
    this.#headerReader.close();
    for (const stream of Array.from(this.#streams.values())) stream.connectionEnded(error);
    this.#streams.clear();
  }
};
var Stream = class extends Duplex2 {
  headers;
  #outlet;
  #hasEnded = false;
  #isOver = false;
  #wanted;
  constructor(headers, outlet) {
    super({ allowHalfOpen: true });
    this.headers = headers;
    this.#outlet = outlet;
  }
  /** Resolves when more may come. */
  async receive(data) {
    if (this.destroyed || this.#hasEnded || data.length === 0) return;
    this.push(data);
    if (this.readableLength < UNREAD_BYTES_BEFORE_WAIT) return;
    await new Promise((resolve) => {
      this.#wanted = resolve;
    });
  }
  receiveEnd() {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.push(null);
  }
  receiveReset(status) {
    this.#isOver = true;
    this.destroy(status === RST_STATUS.cancel ? void 0 : new Error(`the other side reset the stream (${status})`));
  }
  closedByOwner() {
    this.#isOver = true;
    this.destroy();
  }
  connectionEnded(error) {
    this.#isOver = true;
    if (error || !this.#hasEnded) this.destroy(error ?? new Error("the connection ended"));
  }
  _read() {
    this.#wanted?.();
    this.#wanted = void 0;
  }
  _write(chunk, _encoding, done) {
    this.#outlet.sendData(chunk, false).then(() => done(), done);
  }
  _final(done) {
    this.#outlet.sendData(new Uint8Array(0), true).then(() => done(), done);
  }
  _destroy(error, done) {
    this.#wanted?.();
    this.#outlet.forget();
    if (!this.#isOver && !(this.#hasEnded && this.writableFinished)) this.#outlet.reset();
    done(error);
  }
};

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

// packages/kube/src/answering-server.ts
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
var testCertificate = (name) => readFileSync(new URL(`../testdata/tls/${name}`, import.meta.url), "utf8");
async function answeringServer(answer, options = {}) {
  const requests = [];
  let connections = 0;
  const onRequest = async (raw, response) => {
    const pieces = [];
    for await (const piece of raw) pieces.push(piece);
    const { method = "", url = "", headers } = raw;
    const certificate = options.tls ? raw.socket.getPeerCertificate().subject?.CN : void 0;
    const request = { method, url, headers, body: Buffer.concat(pieces).toString(), certificate };
    requests.push(request);
    await answer(request, response, raw);
  };
  const server2 = options.tls ? https.createServer(
    {
      cert: testCertificate("server.crt"),
      key: testCertificate("server.key"),
      ca: testCertificate("ca.crt"),
      requestCert: true,
      rejectUnauthorized: false
    },
    (raw, response) => void onRequest(raw, response)
  ) : http.createServer((raw, response) => void onRequest(raw, response));
  server2.on(options.tls ? "secureConnection" : "connection", () => {
    connections++;
  });
  await new Promise((resolve) => server2.listen(0, "127.0.0.1", resolve));
  return {
    url: `${options.tls ? "https" : "http"}://127.0.0.1:${server2.address().port}`,
    requests,
    server: server2,
    get connections() {
      return connections;
    },
    async close() {
      server2.closeAllConnections();
      await new Promise((resolve) => server2.close(resolve));
    }
  };
}
function sendJson(response, body, status = 200, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

// ../../tmp/work/pf.ts
import { spawn } from "node:child_process";
import net from "node:net";
import http2 from "node:http";
var pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "default" }, spec: { containers: [{ name: "c", image: "x", ports: [{ containerPort: 80 }] }] }, status: { phase: "Running" } };
var server = await answeringServer(({ url }, res) => {
  if (url.startsWith("/api/v1/namespaces/default/pods/web")) return sendJson(res, pod);
  if (url === "/version" || url.startsWith("/version")) return sendJson(res, { major: "1", minor: "36", gitVersion: "v1.36.3" });
  if (url === "/api") return sendJson(res, { kind: "APIVersions", versions: ["v1"] });
  if (url === "/apis") return sendJson(res, { kind: "APIGroupList", groups: [] });
  if (url.startsWith("/api/v1")) return sendJson(res, { kind: "APIResourceList", groupVersion: "v1", resources: [{ name: "pods", namespaced: true, kind: "Pod", verbs: ["get"], singularName: "pod", shortNames: ["po"] }] });
  sendJson(res, { kind: "Status", code: 404 }, 404);
});
var web = http2.createServer((q, r) => {
  if (q.url === "/big") return r.end("y".repeat(5e6));
  r.end("hello " + q.url);
}).listen(0, "127.0.0.1");
await new Promise((r) => web.on("listening", r));
server.server.on("upgrade", (request, raw, head) => {
  console.log("upgrade", request.method, request.url, request.headers["sec-websocket-protocol"]);
  const a = acceptWebSocket(request, raw, head, ["SPDY/3.1+portforward.k8s.io", "v5.channel.k8s.io"]);
  if (!a) {
    raw.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    return;
  }
  if (a.protocol === "v5.channel.k8s.io") {
    let input = "";
    a.socket.on("data", (m) => {
      if (m[0] === 255) {
        a.socket.write(Buffer.from("got " + input));
        a.socket.write(Buffer.from("" + JSON.stringify({ status: "Failure", reason: "NonZeroExitCode", details: { causes: [{ reason: "ExitCode", message: "7" }] } })));
        a.socket.end();
      } else if (m[0] === 0) input += m.subarray(1);
    });
    return;
  }
  createSpdyConnection(a.socket, { role: "server", onStream(s) {
    s.on("error", (e) => console.log("stream error", e.message));
    console.log("stream", JSON.stringify(s.headers));
    if (s.headers.streamtype === "data") {
      const c = net.connect(web.address().port, "127.0.0.1");
      c.on("error", () => {
      });
      s.pipe(c).pipe(s);
    } else {
      s.resume();
      s.on("end", () => s.end());
    }
  } });
});
var k = (...a) => spawn("/root/.cache/tiphys/bin/kubectl-1.36.3", ["--server", server.url, ...a], { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, KUBECONFIG: "/dev/null" } });
var pf = k("port-forward", "pod/web", ":80");
var port = 0;
pf.stderr.on("data", (d) => console.log("ERR", String(d).trim()));
await new Promise((r) => pf.stdout.on("data", (d) => {
  console.log(String(d).trim());
  const m = /127.0.0.1:(\d+)/.exec(String(d));
  if (m && !port) {
    port = Number(m[1]);
    r();
  }
}));
for (const p of ["/a", "/b"]) console.log(await fetch(`http://127.0.0.1:${port}${p}`).then((r) => r.text()));
console.log(await Promise.all([1, 2, 3, 4].map(() => fetch(`http://127.0.0.1:${port}/big`).then((r) => r.text()).then((t) => t.length))));
pf.kill();
var ex = k("exec", "-i", "web", "--", "cat");
var out = "";
ex.stdout.on("data", (d) => {
  out += d;
});
ex.stderr.on("data", (d) => console.log("EXERR", String(d).trim()));
ex.stdin.end("some input");
console.log("exit", await new Promise((r) => ex.on("close", r)), out);
await server.close();
web.close();
process.exit(0);
