import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __require = /* @__PURE__ */ ((x) => typeof require !== "undefined" ? require : typeof Proxy !== "undefined" ? new Proxy(x, {
  get: (a, b) => (typeof require !== "undefined" ? require : a)[b]
}) : x)(function(x) {
  if (typeof require !== "undefined") return require.apply(this, arguments);
  throw Error('Dynamic require of "' + x + '" is not supported');
});
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __commonJS = (cb, mod) => function __require2() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));

// packages/env/src/clock.ts
var LONGEST_TIMEOUT, systemClock;
var init_clock = __esm({
  "packages/env/src/clock.ts"() {
    "use strict";
    LONGEST_TIMEOUT = 2 ** 31 - 1;
    systemClock = {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      schedule(delayMs, task) {
        let handle;
        const arm = (left) => {
          const part = Math.min(left, LONGEST_TIMEOUT);
          handle = setTimeout(() => left > part ? arm(left - part) : task(), Math.max(0, part));
          handle.unref();
        };
        arm(delayMs);
        return { cancel: () => clearTimeout(handle) };
      }
    };
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
        const out = pool.slice(poolAt, poolAt + length);
        pool.fill(0, poolAt, poolAt + length);
        poolAt += length;
        return out;
      }
    };
    HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
  }
});

// packages/env/src/failure.ts
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
var Failure, RetryableFailure, TerminalFailure;
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
    RetryableFailure = class extends Failure {
    };
    TerminalFailure = class extends Failure {
    };
  }
});

// packages/env/src/index.ts
var init_src = __esm({
  "packages/env/src/index.ts"() {
    "use strict";
    init_clock();
    init_failure();
    init_random();
  }
});

// packages/kube/src/go-quote.ts
function goQuote(text3) {
  if (!NEEDS_ESCAPE.test(text3)) return `"${text3}"`;
  let out = '"';
  for (const char of text3) out += SHORT_ESCAPES[char] ?? (PRINTABLE.test(char) ? char : escapeRune(char));
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
    hex = (value, width) => value.toString(16).padStart(width, "0");
  }
});

// packages/kube/src/yaml-failure.ts
var YamlFailure;
var init_yaml_failure = __esm({
  "packages/kube/src/yaml-failure.ts"() {
    "use strict";
    init_src();
    YamlFailure = class extends TerminalFailure {
      /** Where in the text, counted from 1, when it is known. */
      line;
      constructor(what, line) {
        super("kube-yaml-invalid", { what });
        this.line = line;
      }
    };
  }
});

// node_modules/yaml/dist/nodes/identity.js
var require_identity = __commonJS({
  "node_modules/yaml/dist/nodes/identity.js"(exports) {
    "use strict";
    var ALIAS = /* @__PURE__ */ Symbol.for("yaml.alias");
    var DOC = /* @__PURE__ */ Symbol.for("yaml.document");
    var MAP = /* @__PURE__ */ Symbol.for("yaml.map");
    var PAIR = /* @__PURE__ */ Symbol.for("yaml.pair");
    var SCALAR = /* @__PURE__ */ Symbol.for("yaml.scalar");
    var SEQ = /* @__PURE__ */ Symbol.for("yaml.seq");
    var NODE_TYPE = /* @__PURE__ */ Symbol.for("yaml.node.type");
    var isAlias3 = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === ALIAS;
    var isDocument = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === DOC;
    var isMap3 = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === MAP;
    var isPair = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === PAIR;
    var isScalar3 = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SCALAR;
    var isSeq3 = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SEQ;
    function isCollection(node) {
      if (node && typeof node === "object")
        switch (node[NODE_TYPE]) {
          case MAP:
          case SEQ:
            return true;
        }
      return false;
    }
    function isNode(node) {
      if (node && typeof node === "object")
        switch (node[NODE_TYPE]) {
          case ALIAS:
          case MAP:
          case SCALAR:
          case SEQ:
            return true;
        }
      return false;
    }
    var hasAnchor = (node) => (isScalar3(node) || isCollection(node)) && !!node.anchor;
    exports.ALIAS = ALIAS;
    exports.DOC = DOC;
    exports.MAP = MAP;
    exports.NODE_TYPE = NODE_TYPE;
    exports.PAIR = PAIR;
    exports.SCALAR = SCALAR;
    exports.SEQ = SEQ;
    exports.hasAnchor = hasAnchor;
    exports.isAlias = isAlias3;
    exports.isCollection = isCollection;
    exports.isDocument = isDocument;
    exports.isMap = isMap3;
    exports.isNode = isNode;
    exports.isPair = isPair;
    exports.isScalar = isScalar3;
    exports.isSeq = isSeq3;
  }
});

// node_modules/yaml/dist/visit.js
var require_visit = __commonJS({
  "node_modules/yaml/dist/visit.js"(exports) {
    "use strict";
    var identity = require_identity();
    var BREAK = /* @__PURE__ */ Symbol("break visit");
    var SKIP = /* @__PURE__ */ Symbol("skip children");
    var REMOVE = /* @__PURE__ */ Symbol("remove node");
    function visit(node, visitor) {
      const visitor_ = initVisitor(visitor);
      if (identity.isDocument(node)) {
        const cd = visit_(null, node.contents, visitor_, Object.freeze([node]));
        if (cd === REMOVE)
          node.contents = null;
      } else
        visit_(null, node, visitor_, Object.freeze([]));
    }
    visit.BREAK = BREAK;
    visit.SKIP = SKIP;
    visit.REMOVE = REMOVE;
    function visit_(key, node, visitor, path2) {
      const ctrl = callVisitor(key, node, visitor, path2);
      if (identity.isNode(ctrl) || identity.isPair(ctrl)) {
        replaceNode(key, path2, ctrl);
        return visit_(key, ctrl, visitor, path2);
      }
      if (typeof ctrl !== "symbol") {
        if (identity.isCollection(node)) {
          path2 = Object.freeze(path2.concat(node));
          for (let i = 0; i < node.items.length; ++i) {
            const ci = visit_(i, node.items[i], visitor, path2);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              node.items.splice(i, 1);
              i -= 1;
            }
          }
        } else if (identity.isPair(node)) {
          path2 = Object.freeze(path2.concat(node));
          const ck = visit_("key", node.key, visitor, path2);
          if (ck === BREAK)
            return BREAK;
          else if (ck === REMOVE)
            node.key = null;
          const cv = visit_("value", node.value, visitor, path2);
          if (cv === BREAK)
            return BREAK;
          else if (cv === REMOVE)
            node.value = null;
        }
      }
      return ctrl;
    }
    async function visitAsync(node, visitor) {
      const visitor_ = initVisitor(visitor);
      if (identity.isDocument(node)) {
        const cd = await visitAsync_(null, node.contents, visitor_, Object.freeze([node]));
        if (cd === REMOVE)
          node.contents = null;
      } else
        await visitAsync_(null, node, visitor_, Object.freeze([]));
    }
    visitAsync.BREAK = BREAK;
    visitAsync.SKIP = SKIP;
    visitAsync.REMOVE = REMOVE;
    async function visitAsync_(key, node, visitor, path2) {
      const ctrl = await callVisitor(key, node, visitor, path2);
      if (identity.isNode(ctrl) || identity.isPair(ctrl)) {
        replaceNode(key, path2, ctrl);
        return visitAsync_(key, ctrl, visitor, path2);
      }
      if (typeof ctrl !== "symbol") {
        if (identity.isCollection(node)) {
          path2 = Object.freeze(path2.concat(node));
          for (let i = 0; i < node.items.length; ++i) {
            const ci = await visitAsync_(i, node.items[i], visitor, path2);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              node.items.splice(i, 1);
              i -= 1;
            }
          }
        } else if (identity.isPair(node)) {
          path2 = Object.freeze(path2.concat(node));
          const ck = await visitAsync_("key", node.key, visitor, path2);
          if (ck === BREAK)
            return BREAK;
          else if (ck === REMOVE)
            node.key = null;
          const cv = await visitAsync_("value", node.value, visitor, path2);
          if (cv === BREAK)
            return BREAK;
          else if (cv === REMOVE)
            node.value = null;
        }
      }
      return ctrl;
    }
    function initVisitor(visitor) {
      if (typeof visitor === "object" && (visitor.Collection || visitor.Node || visitor.Value)) {
        return Object.assign({
          Alias: visitor.Node,
          Map: visitor.Node,
          Scalar: visitor.Node,
          Seq: visitor.Node
        }, visitor.Value && {
          Map: visitor.Value,
          Scalar: visitor.Value,
          Seq: visitor.Value
        }, visitor.Collection && {
          Map: visitor.Collection,
          Seq: visitor.Collection
        }, visitor);
      }
      return visitor;
    }
    function callVisitor(key, node, visitor, path2) {
      if (typeof visitor === "function")
        return visitor(key, node, path2);
      if (identity.isMap(node))
        return visitor.Map?.(key, node, path2);
      if (identity.isSeq(node))
        return visitor.Seq?.(key, node, path2);
      if (identity.isPair(node))
        return visitor.Pair?.(key, node, path2);
      if (identity.isScalar(node))
        return visitor.Scalar?.(key, node, path2);
      if (identity.isAlias(node))
        return visitor.Alias?.(key, node, path2);
      return void 0;
    }
    function replaceNode(key, path2, node) {
      const parent = path2[path2.length - 1];
      if (identity.isCollection(parent)) {
        parent.items[key] = node;
      } else if (identity.isPair(parent)) {
        if (key === "key")
          parent.key = node;
        else
          parent.value = node;
      } else if (identity.isDocument(parent)) {
        parent.contents = node;
      } else {
        const pt = identity.isAlias(parent) ? "alias" : "scalar";
        throw new Error(`Cannot replace node with ${pt} parent`);
      }
    }
    exports.visit = visit;
    exports.visitAsync = visitAsync;
  }
});

// node_modules/yaml/dist/doc/directives.js
var require_directives = __commonJS({
  "node_modules/yaml/dist/doc/directives.js"(exports) {
    "use strict";
    var identity = require_identity();
    var visit = require_visit();
    var escapeChars = {
      "!": "%21",
      ",": "%2C",
      "[": "%5B",
      "]": "%5D",
      "{": "%7B",
      "}": "%7D"
    };
    var escapeTagName = (tn) => tn.replace(/[!,[\]{}]/g, (ch) => escapeChars[ch]);
    var Directives = class _Directives {
      constructor(yaml, tags) {
        this.docStart = null;
        this.docEnd = false;
        this.yaml = Object.assign({}, _Directives.defaultYaml, yaml);
        this.tags = Object.assign({}, _Directives.defaultTags, tags);
      }
      clone() {
        const copy = new _Directives(this.yaml, this.tags);
        copy.docStart = this.docStart;
        return copy;
      }
      /**
       * During parsing, get a Directives instance for the current document and
       * update the stream state according to the current version's spec.
       */
      atDocument() {
        const res = new _Directives(this.yaml, this.tags);
        switch (this.yaml.version) {
          case "1.1":
            this.atNextDocument = true;
            break;
          case "1.2":
            this.atNextDocument = false;
            this.yaml = {
              explicit: _Directives.defaultYaml.explicit,
              version: "1.2"
            };
            this.tags = Object.assign({}, _Directives.defaultTags);
            break;
        }
        return res;
      }
      /**
       * @param onError - May be called even if the action was successful
       * @returns `true` on success
       */
      add(line, onError) {
        if (this.atNextDocument) {
          this.yaml = { explicit: _Directives.defaultYaml.explicit, version: "1.1" };
          this.tags = Object.assign({}, _Directives.defaultTags);
          this.atNextDocument = false;
        }
        const parts = line.trim().split(/[ \t]+/);
        const name = parts.shift();
        switch (name) {
          case "%TAG": {
            if (parts.length !== 2) {
              onError(0, "%TAG directive should contain exactly two parts");
              if (parts.length < 2)
                return false;
            }
            const [handle, prefix] = parts;
            this.tags[handle] = prefix;
            return true;
          }
          case "%YAML": {
            this.yaml.explicit = true;
            if (parts.length !== 1) {
              onError(0, "%YAML directive should contain exactly one part");
              return false;
            }
            const [version] = parts;
            if (version === "1.1" || version === "1.2") {
              this.yaml.version = version;
              return true;
            } else {
              const isValid = /^\d+\.\d+$/.test(version);
              onError(6, `Unsupported YAML version ${version}`, isValid);
              return false;
            }
          }
          default:
            onError(0, `Unknown directive ${name}`, true);
            return false;
        }
      }
      /**
       * Resolves a tag, matching handles to those defined in %TAG directives.
       *
       * @returns Resolved tag, which may also be the non-specific tag `'!'` or a
       *   `'!local'` tag, or `null` if unresolvable.
       */
      tagName(source, onError) {
        if (source === "!")
          return "!";
        if (source[0] !== "!") {
          onError(`Not a valid tag: ${source}`);
          return null;
        }
        if (source[1] === "<") {
          const verbatim = source.slice(2, -1);
          if (verbatim === "!" || verbatim === "!!") {
            onError(`Verbatim tags aren't resolved, so ${source} is invalid.`);
            return null;
          }
          if (source[source.length - 1] !== ">")
            onError("Verbatim tags must end with a >");
          return verbatim;
        }
        const [, handle, suffix] = source.match(/^(.*!)([^!]*)$/s);
        if (!suffix)
          onError(`The ${source} tag has no suffix`);
        const prefix = this.tags[handle];
        if (prefix) {
          try {
            return prefix + decodeURIComponent(suffix);
          } catch (error) {
            onError(String(error));
            return null;
          }
        }
        if (handle === "!")
          return source;
        onError(`Could not resolve tag: ${source}`);
        return null;
      }
      /**
       * Given a fully resolved tag, returns its printable string form,
       * taking into account current tag prefixes and defaults.
       */
      tagString(tag) {
        for (const [handle, prefix] of Object.entries(this.tags)) {
          if (tag.startsWith(prefix))
            return handle + escapeTagName(tag.substring(prefix.length));
        }
        return tag[0] === "!" ? tag : `!<${tag}>`;
      }
      toString(doc) {
        const lines = this.yaml.explicit ? [`%YAML ${this.yaml.version || "1.2"}`] : [];
        const tagEntries = Object.entries(this.tags);
        let tagNames;
        if (doc && tagEntries.length > 0 && identity.isNode(doc.contents)) {
          const tags = {};
          visit.visit(doc.contents, (_key, node) => {
            if (identity.isNode(node) && node.tag)
              tags[node.tag] = true;
          });
          tagNames = Object.keys(tags);
        } else
          tagNames = [];
        for (const [handle, prefix] of tagEntries) {
          if (handle === "!!" && prefix === "tag:yaml.org,2002:")
            continue;
          if (!doc || tagNames.some((tn) => tn.startsWith(prefix)))
            lines.push(`%TAG ${handle} ${prefix}`);
        }
        return lines.join("\n");
      }
    };
    Directives.defaultYaml = { explicit: false, version: "1.2" };
    Directives.defaultTags = { "!!": "tag:yaml.org,2002:" };
    exports.Directives = Directives;
  }
});

// node_modules/yaml/dist/doc/anchors.js
var require_anchors = __commonJS({
  "node_modules/yaml/dist/doc/anchors.js"(exports) {
    "use strict";
    var identity = require_identity();
    var visit = require_visit();
    function anchorIsValid(anchor) {
      if (/[\x00-\x19\s,[\]{}]/.test(anchor)) {
        const sa = JSON.stringify(anchor);
        const msg = `Anchor must not contain whitespace or control characters: ${sa}`;
        throw new Error(msg);
      }
      return true;
    }
    function anchorNames(root) {
      const anchors = /* @__PURE__ */ new Set();
      visit.visit(root, {
        Value(_key, node) {
          if (node.anchor)
            anchors.add(node.anchor);
        }
      });
      return anchors;
    }
    function findNewAnchor(prefix, exclude) {
      for (let i = 1; true; ++i) {
        const name = `${prefix}${i}`;
        if (!exclude.has(name))
          return name;
      }
    }
    function createNodeAnchors(doc, prefix) {
      const aliasObjects = [];
      const sourceObjects = /* @__PURE__ */ new Map();
      let prevAnchors = null;
      return {
        onAnchor: (source) => {
          aliasObjects.push(source);
          prevAnchors ?? (prevAnchors = anchorNames(doc));
          const anchor = findNewAnchor(prefix, prevAnchors);
          prevAnchors.add(anchor);
          return anchor;
        },
        /**
         * With circular references, the source node is only resolved after all
         * of its child nodes are. This is why anchors are set only after all of
         * the nodes have been created.
         */
        setAnchors: () => {
          for (const source of aliasObjects) {
            const ref = sourceObjects.get(source);
            if (typeof ref === "object" && ref.anchor && (identity.isScalar(ref.node) || identity.isCollection(ref.node))) {
              ref.node.anchor = ref.anchor;
            } else {
              const error = new Error("Failed to resolve repeated object (this should not happen)");
              error.source = source;
              throw error;
            }
          }
        },
        sourceObjects
      };
    }
    exports.anchorIsValid = anchorIsValid;
    exports.anchorNames = anchorNames;
    exports.createNodeAnchors = createNodeAnchors;
    exports.findNewAnchor = findNewAnchor;
  }
});

// node_modules/yaml/dist/doc/applyReviver.js
var require_applyReviver = __commonJS({
  "node_modules/yaml/dist/doc/applyReviver.js"(exports) {
    "use strict";
    function applyReviver(reviver, obj, key, val) {
      if (val && typeof val === "object") {
        if (Array.isArray(val)) {
          for (let i = 0, len = val.length; i < len; ++i) {
            const v0 = val[i];
            const v1 = applyReviver(reviver, val, String(i), v0);
            if (v1 === void 0)
              delete val[i];
            else if (v1 !== v0)
              val[i] = v1;
          }
        } else if (val instanceof Map) {
          for (const k of Array.from(val.keys())) {
            const v0 = val.get(k);
            const v1 = applyReviver(reviver, val, k, v0);
            if (v1 === void 0)
              val.delete(k);
            else if (v1 !== v0)
              val.set(k, v1);
          }
        } else if (val instanceof Set) {
          for (const v0 of Array.from(val)) {
            const v1 = applyReviver(reviver, val, v0, v0);
            if (v1 === void 0)
              val.delete(v0);
            else if (v1 !== v0) {
              val.delete(v0);
              val.add(v1);
            }
          }
        } else {
          for (const [k, v0] of Object.entries(val)) {
            const v1 = applyReviver(reviver, val, k, v0);
            if (v1 === void 0)
              delete val[k];
            else if (v1 !== v0)
              val[k] = v1;
          }
        }
      }
      return reviver.call(obj, key, val);
    }
    exports.applyReviver = applyReviver;
  }
});

// node_modules/yaml/dist/nodes/toJS.js
var require_toJS = __commonJS({
  "node_modules/yaml/dist/nodes/toJS.js"(exports) {
    "use strict";
    var identity = require_identity();
    function toJS(value, arg, ctx) {
      if (Array.isArray(value))
        return value.map((v, i) => toJS(v, String(i), ctx));
      if (value && typeof value.toJSON === "function") {
        if (!ctx || !identity.hasAnchor(value))
          return value.toJSON(arg, ctx);
        const data = { aliasCount: 0, count: 1, res: void 0 };
        ctx.anchors.set(value, data);
        ctx.onCreate = (res2) => {
          data.res = res2;
          delete ctx.onCreate;
        };
        const res = value.toJSON(arg, ctx);
        if (ctx.onCreate)
          ctx.onCreate(res);
        return res;
      }
      if (typeof value === "bigint" && !ctx?.keep)
        return Number(value);
      return value;
    }
    exports.toJS = toJS;
  }
});

// node_modules/yaml/dist/nodes/Node.js
var require_Node = __commonJS({
  "node_modules/yaml/dist/nodes/Node.js"(exports) {
    "use strict";
    var applyReviver = require_applyReviver();
    var identity = require_identity();
    var toJS = require_toJS();
    var NodeBase = class {
      constructor(type) {
        Object.defineProperty(this, identity.NODE_TYPE, { value: type });
      }
      /** Create a copy of this node.  */
      clone() {
        const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /** A plain JavaScript representation of this node. */
      toJS(doc, { mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
        if (!identity.isDocument(doc))
          throw new TypeError("A document argument is required");
        const ctx = {
          anchors: /* @__PURE__ */ new Map(),
          doc,
          keep: true,
          mapAsMap: mapAsMap === true,
          mapKeyWarned: false,
          maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
        };
        const res = toJS.toJS(this, "", ctx);
        if (typeof onAnchor === "function")
          for (const { count: count2, res: res2 } of ctx.anchors.values())
            onAnchor(res2, count2);
        return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
      }
    };
    exports.NodeBase = NodeBase;
  }
});

// node_modules/yaml/dist/nodes/Alias.js
var require_Alias = __commonJS({
  "node_modules/yaml/dist/nodes/Alias.js"(exports) {
    "use strict";
    var anchors = require_anchors();
    var visit = require_visit();
    var identity = require_identity();
    var Node = require_Node();
    var toJS = require_toJS();
    var Alias = class extends Node.NodeBase {
      constructor(source) {
        super(identity.ALIAS);
        this.source = source;
        Object.defineProperty(this, "tag", {
          set() {
            throw new Error("Alias nodes cannot have tags");
          }
        });
      }
      /**
       * Resolve the value of this alias within `doc`, finding the last
       * instance of the `source` anchor before this node.
       */
      resolve(doc, ctx) {
        if (ctx?.maxAliasCount === 0)
          throw new ReferenceError("Alias resolution is disabled");
        let nodes;
        if (ctx?.aliasResolveCache) {
          nodes = ctx.aliasResolveCache;
        } else {
          nodes = [];
          visit.visit(doc, {
            Node: (_key, node) => {
              if (identity.isAlias(node) || identity.hasAnchor(node))
                nodes.push(node);
            }
          });
          if (ctx)
            ctx.aliasResolveCache = nodes;
        }
        let found = void 0;
        for (const node of nodes) {
          if (node === this)
            break;
          if (node.anchor === this.source)
            found = node;
        }
        if (found && ctx) {
          const { anchors: anchors2, doc: doc2, maxAliasCount } = ctx;
          let data = anchors2.get(found);
          if (!data) {
            toJS.toJS(found, null, ctx);
            data = anchors2.get(found);
          }
          if (data?.res === void 0) {
            const msg = "This should not happen: Alias anchor was not resolved?";
            throw new ReferenceError(msg);
          }
          if (maxAliasCount >= 0) {
            data.count += 1;
            if (data.aliasCount === 0)
              data.aliasCount = getAliasCount(doc2, found, anchors2);
            if (data.count * data.aliasCount > maxAliasCount) {
              const msg = "Excessive alias count indicates a resource exhaustion attack";
              throw new ReferenceError(msg);
            }
          }
        }
        return found;
      }
      toJSON(_arg, ctx) {
        if (!ctx)
          return { source: this.source };
        const source = this.resolve(ctx.doc, ctx);
        if (!source) {
          const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
          throw new ReferenceError(msg);
        }
        return ctx.anchors.get(source).res;
      }
      toString(ctx, _onComment, _onChompKeep) {
        const src = `*${this.source}`;
        if (ctx) {
          anchors.anchorIsValid(this.source);
          if (ctx.options.verifyAliasOrder && !ctx.anchors.has(this.source)) {
            const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
            throw new Error(msg);
          }
          if (ctx.implicitKey)
            return `${src} `;
        }
        return src;
      }
    };
    function getAliasCount(doc, node, anchors2) {
      if (identity.isAlias(node)) {
        const source = node.resolve(doc);
        const anchor = anchors2 && source && anchors2.get(source);
        return anchor ? anchor.count * anchor.aliasCount : 0;
      } else if (identity.isCollection(node)) {
        let count2 = 0;
        for (const item of node.items) {
          const c = getAliasCount(doc, item, anchors2);
          if (c > count2)
            count2 = c;
        }
        return count2;
      } else if (identity.isPair(node)) {
        const kc = getAliasCount(doc, node.key, anchors2);
        const vc = getAliasCount(doc, node.value, anchors2);
        return Math.max(kc, vc);
      }
      return 1;
    }
    exports.Alias = Alias;
  }
});

// node_modules/yaml/dist/nodes/Scalar.js
var require_Scalar = __commonJS({
  "node_modules/yaml/dist/nodes/Scalar.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Node = require_Node();
    var toJS = require_toJS();
    var isScalarValue = (value) => !value || typeof value !== "function" && typeof value !== "object";
    var Scalar = class extends Node.NodeBase {
      constructor(value) {
        super(identity.SCALAR);
        this.value = value;
      }
      toJSON(arg, ctx) {
        return ctx?.keep ? this.value : toJS.toJS(this.value, arg, ctx);
      }
      toString() {
        return String(this.value);
      }
    };
    Scalar.BLOCK_FOLDED = "BLOCK_FOLDED";
    Scalar.BLOCK_LITERAL = "BLOCK_LITERAL";
    Scalar.PLAIN = "PLAIN";
    Scalar.QUOTE_DOUBLE = "QUOTE_DOUBLE";
    Scalar.QUOTE_SINGLE = "QUOTE_SINGLE";
    exports.Scalar = Scalar;
    exports.isScalarValue = isScalarValue;
  }
});

// node_modules/yaml/dist/doc/createNode.js
var require_createNode = __commonJS({
  "node_modules/yaml/dist/doc/createNode.js"(exports) {
    "use strict";
    var Alias = require_Alias();
    var identity = require_identity();
    var Scalar = require_Scalar();
    var defaultTagPrefix = "tag:yaml.org,2002:";
    function findTagObject(value, tagName, tags) {
      if (tagName) {
        const match = tags.filter((t) => t.tag === tagName);
        const tagObj = match.find((t) => !t.format) ?? match[0];
        if (!tagObj)
          throw new Error(`Tag ${tagName} not found`);
        return tagObj;
      }
      return tags.find((t) => t.identify?.(value) && !t.format);
    }
    function createNode(value, tagName, ctx) {
      if (identity.isDocument(value))
        value = value.contents;
      if (identity.isNode(value))
        return value;
      if (identity.isPair(value)) {
        const map = ctx.schema[identity.MAP].createNode?.(ctx.schema, null, ctx);
        map.items.push(value);
        return map;
      }
      if (value instanceof String || value instanceof Number || value instanceof Boolean || typeof BigInt !== "undefined" && value instanceof BigInt) {
        value = value.valueOf();
      }
      const { aliasDuplicateObjects, onAnchor, onTagObj, schema, sourceObjects } = ctx;
      let ref = void 0;
      if (aliasDuplicateObjects && value && typeof value === "object") {
        ref = sourceObjects.get(value);
        if (ref) {
          ref.anchor ?? (ref.anchor = onAnchor(value));
          return new Alias.Alias(ref.anchor);
        } else {
          ref = { anchor: null, node: null };
          sourceObjects.set(value, ref);
        }
      }
      if (tagName?.startsWith("!!"))
        tagName = defaultTagPrefix + tagName.slice(2);
      let tagObj = findTagObject(value, tagName, schema.tags);
      if (!tagObj) {
        if (value && typeof value.toJSON === "function") {
          value = value.toJSON();
        }
        if (!value || typeof value !== "object") {
          const node2 = new Scalar.Scalar(value);
          if (ref)
            ref.node = node2;
          return node2;
        }
        tagObj = value instanceof Map ? schema[identity.MAP] : Symbol.iterator in Object(value) ? schema[identity.SEQ] : schema[identity.MAP];
      }
      if (onTagObj) {
        onTagObj(tagObj);
        delete ctx.onTagObj;
      }
      const node = tagObj?.createNode ? tagObj.createNode(ctx.schema, value, ctx) : typeof tagObj?.nodeClass?.from === "function" ? tagObj.nodeClass.from(ctx.schema, value, ctx) : new Scalar.Scalar(value);
      if (tagName)
        node.tag = tagName;
      else if (!tagObj.default)
        node.tag = tagObj.tag;
      if (ref)
        ref.node = node;
      return node;
    }
    exports.createNode = createNode;
  }
});

// node_modules/yaml/dist/nodes/Collection.js
var require_Collection = __commonJS({
  "node_modules/yaml/dist/nodes/Collection.js"(exports) {
    "use strict";
    var createNode = require_createNode();
    var identity = require_identity();
    var Node = require_Node();
    function collectionFromPath(schema, path2, value) {
      let v = value;
      for (let i = path2.length - 1; i >= 0; --i) {
        const k = path2[i];
        if (typeof k === "number" && Number.isInteger(k) && k >= 0) {
          const a = [];
          a[k] = v;
          v = a;
        } else {
          v = /* @__PURE__ */ new Map([[k, v]]);
        }
      }
      return createNode.createNode(v, void 0, {
        aliasDuplicateObjects: false,
        keepUndefined: false,
        onAnchor: () => {
          throw new Error("This should not happen, please report a bug.");
        },
        schema,
        sourceObjects: /* @__PURE__ */ new Map()
      });
    }
    var isEmptyPath = (path2) => path2 == null || typeof path2 === "object" && !!path2[Symbol.iterator]().next().done;
    var Collection = class extends Node.NodeBase {
      constructor(type, schema) {
        super(type);
        Object.defineProperty(this, "schema", {
          value: schema,
          configurable: true,
          enumerable: false,
          writable: true
        });
      }
      /**
       * Create a copy of this collection.
       *
       * @param schema - If defined, overwrites the original's schema
       */
      clone(schema) {
        const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
        if (schema)
          copy.schema = schema;
        copy.items = copy.items.map((it) => identity.isNode(it) || identity.isPair(it) ? it.clone(schema) : it);
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /**
       * Adds a value to the collection. For `!!map` and `!!omap` the value must
       * be a Pair instance or a `{ key, value }` object, which may not have a key
       * that already exists in the map.
       */
      addIn(path2, value) {
        if (isEmptyPath(path2))
          this.add(value);
        else {
          const [key, ...rest] = path2;
          const node = this.get(key, true);
          if (identity.isCollection(node))
            node.addIn(rest, value);
          else if (node === void 0 && this.schema)
            this.set(key, collectionFromPath(this.schema, rest, value));
          else
            throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
        }
      }
      /**
       * Removes a value from the collection.
       * @returns `true` if the item was found and removed.
       */
      deleteIn(path2) {
        const [key, ...rest] = path2;
        if (rest.length === 0)
          return this.delete(key);
        const node = this.get(key, true);
        if (identity.isCollection(node))
          return node.deleteIn(rest);
        else
          throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
      }
      /**
       * Returns item at `key`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      getIn(path2, keepScalar) {
        const [key, ...rest] = path2;
        const node = this.get(key, true);
        if (rest.length === 0)
          return !keepScalar && identity.isScalar(node) ? node.value : node;
        else
          return identity.isCollection(node) ? node.getIn(rest, keepScalar) : void 0;
      }
      hasAllNullValues(allowScalar) {
        return this.items.every((node) => {
          if (!identity.isPair(node))
            return false;
          const n = node.value;
          return n == null || allowScalar && identity.isScalar(n) && n.value == null && !n.commentBefore && !n.comment && !n.tag;
        });
      }
      /**
       * Checks if the collection includes a value with the key `key`.
       */
      hasIn(path2) {
        const [key, ...rest] = path2;
        if (rest.length === 0)
          return this.has(key);
        const node = this.get(key, true);
        return identity.isCollection(node) ? node.hasIn(rest) : false;
      }
      /**
       * Sets a value in this collection. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      setIn(path2, value) {
        const [key, ...rest] = path2;
        if (rest.length === 0) {
          this.set(key, value);
        } else {
          const node = this.get(key, true);
          if (identity.isCollection(node))
            node.setIn(rest, value);
          else if (node === void 0 && this.schema)
            this.set(key, collectionFromPath(this.schema, rest, value));
          else
            throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
        }
      }
    };
    exports.Collection = Collection;
    exports.collectionFromPath = collectionFromPath;
    exports.isEmptyPath = isEmptyPath;
  }
});

// node_modules/yaml/dist/stringify/stringifyComment.js
var require_stringifyComment = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyComment.js"(exports) {
    "use strict";
    var stringifyComment = (str) => str.replace(/^(?!$)(?: $)?/gm, "#");
    function indentComment(comment, indent) {
      if (/^\n+$/.test(comment))
        return comment.substring(1);
      return indent ? comment.replace(/^(?! *$)/gm, indent) : comment;
    }
    var lineComment = (str, indent, comment) => str.endsWith("\n") ? indentComment(comment, indent) : comment.includes("\n") ? "\n" + indentComment(comment, indent) : (str.endsWith(" ") ? "" : " ") + comment;
    exports.indentComment = indentComment;
    exports.lineComment = lineComment;
    exports.stringifyComment = stringifyComment;
  }
});

// node_modules/yaml/dist/stringify/foldFlowLines.js
var require_foldFlowLines = __commonJS({
  "node_modules/yaml/dist/stringify/foldFlowLines.js"(exports) {
    "use strict";
    var FOLD_FLOW = "flow";
    var FOLD_BLOCK = "block";
    var FOLD_QUOTED = "quoted";
    function foldFlowLines(text3, indent, mode = "flow", { indentAtStart, lineWidth = 80, minContentWidth = 20, onFold, onOverflow } = {}) {
      if (!lineWidth || lineWidth < 0)
        return text3;
      if (lineWidth < minContentWidth)
        minContentWidth = 0;
      const endStep = Math.max(1 + minContentWidth, 1 + lineWidth - indent.length);
      if (text3.length <= endStep)
        return text3;
      const folds = [];
      const escapedFolds = {};
      let end2 = lineWidth - indent.length;
      if (typeof indentAtStart === "number") {
        if (indentAtStart > lineWidth - Math.max(2, minContentWidth))
          folds.push(0);
        else
          end2 = lineWidth - indentAtStart;
      }
      let split = void 0;
      let prev = void 0;
      let overflow = false;
      let i = -1;
      let escStart = -1;
      let escEnd = -1;
      if (mode === FOLD_BLOCK) {
        i = consumeMoreIndentedLines(text3, i, indent.length);
        if (i !== -1)
          end2 = i + endStep;
      }
      for (let ch; ch = text3[i += 1]; ) {
        if (mode === FOLD_QUOTED && ch === "\\") {
          escStart = i;
          switch (text3[i + 1]) {
            case "x":
              i += 3;
              break;
            case "u":
              i += 5;
              break;
            case "U":
              i += 9;
              break;
            default:
              i += 1;
          }
          escEnd = i;
        }
        if (ch === "\n") {
          if (mode === FOLD_BLOCK)
            i = consumeMoreIndentedLines(text3, i, indent.length);
          end2 = i + indent.length + endStep;
          split = void 0;
        } else {
          if (ch === " " && prev && prev !== " " && prev !== "\n" && prev !== "	") {
            const next = text3[i + 1];
            if (next && next !== " " && next !== "\n" && next !== "	")
              split = i;
          }
          if (i >= end2) {
            if (split) {
              folds.push(split);
              end2 = split + endStep;
              split = void 0;
            } else if (mode === FOLD_QUOTED) {
              while (prev === " " || prev === "	") {
                prev = ch;
                ch = text3[i += 1];
                overflow = true;
              }
              const j = i > escEnd + 1 ? i - 2 : escStart - 1;
              if (escapedFolds[j])
                return text3;
              folds.push(j);
              escapedFolds[j] = true;
              end2 = j + endStep;
              split = void 0;
            } else {
              overflow = true;
            }
          }
        }
        prev = ch;
      }
      if (overflow && onOverflow)
        onOverflow();
      if (folds.length === 0)
        return text3;
      if (onFold)
        onFold();
      let res = text3.slice(0, folds[0]);
      for (let i2 = 0; i2 < folds.length; ++i2) {
        const fold = folds[i2];
        const end3 = folds[i2 + 1] || text3.length;
        if (fold === 0)
          res = `
${indent}${text3.slice(0, end3)}`;
        else {
          if (mode === FOLD_QUOTED && escapedFolds[fold])
            res += `${text3[fold]}\\`;
          res += `
${indent}${text3.slice(fold + 1, end3)}`;
        }
      }
      return res;
    }
    function consumeMoreIndentedLines(text3, i, indent) {
      let end2 = i;
      let start = i + 1;
      let ch = text3[start];
      while (ch === " " || ch === "	") {
        if (i < start + indent) {
          ch = text3[++i];
        } else {
          do {
            ch = text3[++i];
          } while (ch && ch !== "\n");
          end2 = i;
          start = i + 1;
          ch = text3[start];
        }
      }
      return end2;
    }
    exports.FOLD_BLOCK = FOLD_BLOCK;
    exports.FOLD_FLOW = FOLD_FLOW;
    exports.FOLD_QUOTED = FOLD_QUOTED;
    exports.foldFlowLines = foldFlowLines;
  }
});

// node_modules/yaml/dist/stringify/stringifyString.js
var require_stringifyString = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyString.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var foldFlowLines = require_foldFlowLines();
    var getFoldOptions = (ctx, isBlock) => ({
      indentAtStart: isBlock ? ctx.indent.length : ctx.indentAtStart,
      lineWidth: ctx.options.lineWidth,
      minContentWidth: ctx.options.minContentWidth
    });
    var containsDocumentMarker = (str) => /^(%|---|\.\.\.)/m.test(str);
    function lineLengthOverLimit(str, lineWidth, indentLength) {
      if (!lineWidth || lineWidth < 0)
        return false;
      const limit = lineWidth - indentLength;
      const strLen = str.length;
      if (strLen <= limit)
        return false;
      for (let i = 0, start = 0; i < strLen; ++i) {
        if (str[i] === "\n") {
          if (i - start > limit)
            return true;
          start = i + 1;
          if (strLen - start <= limit)
            return false;
        }
      }
      return true;
    }
    function doubleQuotedString(value, ctx) {
      const json = JSON.stringify(value);
      if (ctx.options.doubleQuotedAsJSON)
        return json;
      const { implicitKey } = ctx;
      const minMultiLineLength = ctx.options.doubleQuotedMinMultiLineLength;
      const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
      let str = "";
      let start = 0;
      for (let i = 0, ch = json[i]; ch; ch = json[++i]) {
        if (ch === " " && json[i + 1] === "\\" && json[i + 2] === "n") {
          str += json.slice(start, i) + "\\ ";
          i += 1;
          start = i;
          ch = "\\";
        }
        if (ch === "\\")
          switch (json[i + 1]) {
            case "u":
              {
                str += json.slice(start, i);
                const code = json.substr(i + 2, 4);
                switch (code) {
                  case "0000":
                    str += "\\0";
                    break;
                  case "0007":
                    str += "\\a";
                    break;
                  case "000b":
                    str += "\\v";
                    break;
                  case "001b":
                    str += "\\e";
                    break;
                  case "0085":
                    str += "\\N";
                    break;
                  case "00a0":
                    str += "\\_";
                    break;
                  case "2028":
                    str += "\\L";
                    break;
                  case "2029":
                    str += "\\P";
                    break;
                  default:
                    if (code.substr(0, 2) === "00")
                      str += "\\x" + code.substr(2);
                    else
                      str += json.substr(i, 6);
                }
                i += 5;
                start = i + 1;
              }
              break;
            case "n":
              if (implicitKey || json[i + 2] === '"' || json.length < minMultiLineLength) {
                i += 1;
              } else {
                str += json.slice(start, i) + "\n\n";
                while (json[i + 2] === "\\" && json[i + 3] === "n" && json[i + 4] !== '"') {
                  str += "\n";
                  i += 2;
                }
                str += indent;
                if (json[i + 2] === " ")
                  str += "\\";
                i += 1;
                start = i + 1;
              }
              break;
            default:
              i += 1;
          }
      }
      str = start ? str + json.slice(start) : json;
      return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_QUOTED, getFoldOptions(ctx, false));
    }
    function singleQuotedString(value, ctx) {
      if (ctx.options.singleQuote === false || ctx.implicitKey && value.includes("\n") || /[ \t]\n|\n[ \t]/.test(value))
        return doubleQuotedString(value, ctx);
      const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
      const res = "'" + value.replace(/'/g, "''").replace(/\n+/g, `$&
${indent}`) + "'";
      return ctx.implicitKey ? res : foldFlowLines.foldFlowLines(res, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
    }
    function quotedString(value, ctx) {
      const { singleQuote } = ctx.options;
      let qs;
      if (singleQuote === false)
        qs = doubleQuotedString;
      else {
        const hasDouble = value.includes('"');
        const hasSingle = value.includes("'");
        if (hasDouble && !hasSingle)
          qs = singleQuotedString;
        else if (hasSingle && !hasDouble)
          qs = doubleQuotedString;
        else
          qs = singleQuote ? singleQuotedString : doubleQuotedString;
      }
      return qs(value, ctx);
    }
    var blockEndNewlines;
    try {
      blockEndNewlines = new RegExp("(^|(?<!\n))\n+(?!\n|$)", "g");
    } catch {
      blockEndNewlines = /\n+(?!\n|$)/g;
    }
    function blockString({ comment, type, value }, ctx, onComment, onChompKeep) {
      const { blockQuote, commentString, lineWidth } = ctx.options;
      if (!blockQuote || /\n[\t ]+$/.test(value)) {
        return quotedString(value, ctx);
      }
      const indent = ctx.indent || (ctx.forceBlockIndent || containsDocumentMarker(value) ? "  " : "");
      const literal = blockQuote === "literal" ? true : blockQuote === "folded" || type === Scalar.Scalar.BLOCK_FOLDED ? false : type === Scalar.Scalar.BLOCK_LITERAL ? true : !lineLengthOverLimit(value, lineWidth, indent.length);
      if (!value)
        return literal ? "|\n" : ">\n";
      let chomp;
      let endStart;
      for (endStart = value.length; endStart > 0; --endStart) {
        const ch = value[endStart - 1];
        if (ch !== "\n" && ch !== "	" && ch !== " ")
          break;
      }
      let end2 = value.substring(endStart);
      const endNlPos = end2.indexOf("\n");
      if (endNlPos === -1) {
        chomp = "-";
      } else if (value === end2 || endNlPos !== end2.length - 1) {
        chomp = "+";
        if (onChompKeep)
          onChompKeep();
      } else {
        chomp = "";
      }
      if (end2) {
        value = value.slice(0, -end2.length);
        if (end2[end2.length - 1] === "\n")
          end2 = end2.slice(0, -1);
        end2 = end2.replace(blockEndNewlines, `$&${indent}`);
      }
      let startWithSpace = false;
      let startEnd;
      let startNlPos = -1;
      for (startEnd = 0; startEnd < value.length; ++startEnd) {
        const ch = value[startEnd];
        if (ch === " ")
          startWithSpace = true;
        else if (ch === "\n")
          startNlPos = startEnd;
        else
          break;
      }
      let start = value.substring(0, startNlPos < startEnd ? startNlPos + 1 : startEnd);
      if (start) {
        value = value.substring(start.length);
        start = start.replace(/\n+/g, `$&${indent}`);
      }
      const indentSize = indent ? "2" : "1";
      let header = (startWithSpace ? indentSize : "") + chomp;
      if (comment) {
        header += " " + commentString(comment.replace(/ ?[\r\n]+/g, " "));
        if (onComment)
          onComment();
      }
      if (!literal) {
        const foldedValue = value.replace(/\n+/g, "\n$&").replace(/(?:^|\n)([\t ].*)(?:([\n\t ]*)\n(?![\n\t ]))?/g, "$1$2").replace(/\n+/g, `$&${indent}`);
        let literalFallback = false;
        const foldOptions = getFoldOptions(ctx, true);
        if (blockQuote !== "folded" && type !== Scalar.Scalar.BLOCK_FOLDED) {
          foldOptions.onOverflow = () => {
            literalFallback = true;
          };
        }
        const body = foldFlowLines.foldFlowLines(`${start}${foldedValue}${end2}`, indent, foldFlowLines.FOLD_BLOCK, foldOptions);
        if (!literalFallback)
          return `>${header}
${indent}${body}`;
      }
      value = value.replace(/\n+/g, `$&${indent}`);
      return `|${header}
${indent}${start}${value}${end2}`;
    }
    function plainString(item, ctx, onComment, onChompKeep) {
      const { type, value } = item;
      const { actualString, implicitKey, indent, indentStep, inFlow } = ctx;
      if (implicitKey && value.includes("\n") || inFlow && /[[\]{},]/.test(value)) {
        return quotedString(value, ctx);
      }
      if (/^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/.test(value)) {
        return implicitKey || inFlow || !value.includes("\n") ? quotedString(value, ctx) : blockString(item, ctx, onComment, onChompKeep);
      }
      if (!implicitKey && !inFlow && type !== Scalar.Scalar.PLAIN && value.includes("\n")) {
        return blockString(item, ctx, onComment, onChompKeep);
      }
      if (containsDocumentMarker(value)) {
        if (indent === "") {
          ctx.forceBlockIndent = true;
          return blockString(item, ctx, onComment, onChompKeep);
        } else if (implicitKey && indent === indentStep) {
          return quotedString(value, ctx);
        }
      }
      const str = value.replace(/\n+/g, `$&
${indent}`);
      if (actualString) {
        const test = (tag) => tag.default && tag.tag !== "tag:yaml.org,2002:str" && tag.test?.test(str);
        const { compat, tags } = ctx.doc.schema;
        if (tags.some(test) || compat?.some(test))
          return quotedString(value, ctx);
      }
      return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
    }
    function stringifyString(item, ctx, onComment, onChompKeep) {
      const { implicitKey, inFlow } = ctx;
      const ss = typeof item.value === "string" ? item : Object.assign({}, item, { value: String(item.value) });
      let { type } = item;
      if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
        if (/[\x00-\x08\x0b-\x1f\x7f-\x9f\u{D800}-\u{DFFF}]/u.test(ss.value))
          type = Scalar.Scalar.QUOTE_DOUBLE;
      }
      const _stringify = (_type) => {
        switch (_type) {
          case Scalar.Scalar.BLOCK_FOLDED:
          case Scalar.Scalar.BLOCK_LITERAL:
            return implicitKey || inFlow ? quotedString(ss.value, ctx) : blockString(ss, ctx, onComment, onChompKeep);
          case Scalar.Scalar.QUOTE_DOUBLE:
            return doubleQuotedString(ss.value, ctx);
          case Scalar.Scalar.QUOTE_SINGLE:
            return singleQuotedString(ss.value, ctx);
          case Scalar.Scalar.PLAIN:
            return plainString(ss, ctx, onComment, onChompKeep);
          default:
            return null;
        }
      };
      let res = _stringify(type);
      if (res === null) {
        const { defaultKeyType, defaultStringType } = ctx.options;
        const t = implicitKey && defaultKeyType || defaultStringType;
        res = _stringify(t);
        if (res === null)
          throw new Error(`Unsupported default string type ${t}`);
      }
      return res;
    }
    exports.stringifyString = stringifyString;
  }
});

// node_modules/yaml/dist/stringify/stringify.js
var require_stringify = __commonJS({
  "node_modules/yaml/dist/stringify/stringify.js"(exports) {
    "use strict";
    var anchors = require_anchors();
    var identity = require_identity();
    var stringifyComment = require_stringifyComment();
    var stringifyString = require_stringifyString();
    function createStringifyContext(doc, options) {
      const opt = Object.assign({
        blockQuote: true,
        commentString: stringifyComment.stringifyComment,
        defaultKeyType: null,
        defaultStringType: "PLAIN",
        directives: null,
        doubleQuotedAsJSON: false,
        doubleQuotedMinMultiLineLength: 40,
        falseStr: "false",
        flowCollectionPadding: true,
        indentSeq: true,
        lineWidth: 80,
        minContentWidth: 20,
        nullStr: "null",
        simpleKeys: false,
        singleQuote: null,
        trailingComma: false,
        trueStr: "true",
        verifyAliasOrder: true
      }, doc.schema.toStringOptions, options);
      let inFlow;
      switch (opt.collectionStyle) {
        case "block":
          inFlow = false;
          break;
        case "flow":
          inFlow = true;
          break;
        default:
          inFlow = null;
      }
      return {
        anchors: /* @__PURE__ */ new Set(),
        doc,
        flowCollectionPadding: opt.flowCollectionPadding ? " " : "",
        indent: "",
        indentStep: typeof opt.indent === "number" ? " ".repeat(opt.indent) : "  ",
        inFlow,
        options: opt
      };
    }
    function getTagObject(tags, item) {
      if (item.tag) {
        const match = tags.filter((t) => t.tag === item.tag);
        if (match.length > 0)
          return match.find((t) => t.format === item.format) ?? match[0];
      }
      let tagObj = void 0;
      let obj;
      if (identity.isScalar(item)) {
        obj = item.value;
        let match = tags.filter((t) => t.identify?.(obj));
        if (match.length > 1) {
          const testMatch = match.filter((t) => t.test);
          if (testMatch.length > 0)
            match = testMatch;
        }
        tagObj = match.find((t) => t.format === item.format) ?? match.find((t) => !t.format);
      } else {
        obj = item;
        tagObj = tags.find((t) => t.nodeClass && obj instanceof t.nodeClass);
      }
      if (!tagObj) {
        const name = obj?.constructor?.name ?? (obj === null ? "null" : typeof obj);
        throw new Error(`Tag not resolved for ${name} value`);
      }
      return tagObj;
    }
    function stringifyProps(node, tagObj, { anchors: anchors$1, doc }) {
      if (!doc.directives)
        return "";
      const props = [];
      const anchor = (identity.isScalar(node) || identity.isCollection(node)) && node.anchor;
      if (anchor && anchors.anchorIsValid(anchor)) {
        anchors$1.add(anchor);
        props.push(`&${anchor}`);
      }
      const tag = node.tag ?? (tagObj.default ? null : tagObj.tag);
      if (tag)
        props.push(doc.directives.tagString(tag));
      return props.join(" ");
    }
    function stringify(item, ctx, onComment, onChompKeep) {
      if (identity.isPair(item))
        return item.toString(ctx, onComment, onChompKeep);
      if (identity.isAlias(item)) {
        if (ctx.doc.directives)
          return item.toString(ctx);
        if (ctx.resolvedAliases?.has(item)) {
          throw new TypeError(`Cannot stringify circular structure without alias nodes`);
        } else {
          if (ctx.resolvedAliases)
            ctx.resolvedAliases.add(item);
          else
            ctx.resolvedAliases = /* @__PURE__ */ new Set([item]);
          item = item.resolve(ctx.doc);
        }
      }
      let tagObj = void 0;
      const node = identity.isNode(item) ? item : ctx.doc.createNode(item, { onTagObj: (o) => tagObj = o });
      tagObj ?? (tagObj = getTagObject(ctx.doc.schema.tags, node));
      const props = stringifyProps(node, tagObj, ctx);
      if (props.length > 0)
        ctx.indentAtStart = (ctx.indentAtStart ?? 0) + props.length + 1;
      const str = typeof tagObj.stringify === "function" ? tagObj.stringify(node, ctx, onComment, onChompKeep) : identity.isScalar(node) ? stringifyString.stringifyString(node, ctx, onComment, onChompKeep) : node.toString(ctx, onComment, onChompKeep);
      if (!props)
        return str;
      return identity.isScalar(node) || str[0] === "{" || str[0] === "[" ? `${props} ${str}` : `${props}
${ctx.indent}${str}`;
    }
    exports.createStringifyContext = createStringifyContext;
    exports.stringify = stringify;
  }
});

// node_modules/yaml/dist/stringify/stringifyPair.js
var require_stringifyPair = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyPair.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyPair({ key, value }, ctx, onComment, onChompKeep) {
      const { allNullValues, doc, indent, indentStep, options: { commentString, indentSeq, simpleKeys } } = ctx;
      let keyComment = identity.isNode(key) && key.comment || null;
      if (simpleKeys) {
        if (keyComment) {
          throw new Error("With simple keys, key nodes cannot have comments");
        }
        if (identity.isCollection(key) || !identity.isNode(key) && typeof key === "object") {
          const msg = "With simple keys, collection cannot be used as a key value";
          throw new Error(msg);
        }
      }
      let explicitKey = !simpleKeys && (!key || keyComment && value == null && !ctx.inFlow || identity.isCollection(key) || (identity.isScalar(key) ? key.type === Scalar.Scalar.BLOCK_FOLDED || key.type === Scalar.Scalar.BLOCK_LITERAL : typeof key === "object"));
      ctx = Object.assign({}, ctx, {
        allNullValues: false,
        implicitKey: !explicitKey && (simpleKeys || !allNullValues),
        indent: indent + indentStep
      });
      let keyCommentDone = false;
      let chompKeep = false;
      let str = stringify.stringify(key, ctx, () => keyCommentDone = true, () => chompKeep = true);
      if (!explicitKey && !ctx.inFlow && str.length > 1024) {
        if (simpleKeys)
          throw new Error("With simple keys, single line scalar must not span more than 1024 characters");
        explicitKey = true;
      }
      if (ctx.inFlow) {
        if (allNullValues || value == null) {
          if (keyCommentDone && onComment)
            onComment();
          return str === "" ? "?" : explicitKey ? `? ${str}` : str;
        }
      } else if (allNullValues && !simpleKeys || value == null && explicitKey) {
        str = `? ${str}`;
        if (keyComment && !keyCommentDone) {
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
        } else if (chompKeep && onChompKeep)
          onChompKeep();
        return str;
      }
      if (keyCommentDone)
        keyComment = null;
      if (explicitKey) {
        if (keyComment)
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
        str = `? ${str}
${indent}:`;
      } else {
        str = `${str}:`;
        if (keyComment)
          str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
      }
      let vsb, vcb, valueComment;
      if (identity.isNode(value)) {
        vsb = !!value.spaceBefore;
        vcb = value.commentBefore;
        valueComment = value.comment;
      } else {
        vsb = false;
        vcb = null;
        valueComment = null;
        if (value && typeof value === "object")
          value = doc.createNode(value);
      }
      ctx.implicitKey = false;
      if (!explicitKey && !keyComment && identity.isScalar(value))
        ctx.indentAtStart = str.length + 1;
      chompKeep = false;
      if (!indentSeq && indentStep.length >= 2 && !ctx.inFlow && !explicitKey && identity.isSeq(value) && !value.flow && !value.tag && !value.anchor) {
        ctx.indent = ctx.indent.substring(2);
      }
      let valueCommentDone = false;
      const valueStr = stringify.stringify(value, ctx, () => valueCommentDone = true, () => chompKeep = true);
      let ws = " ";
      if (keyComment || vsb || vcb) {
        ws = vsb ? "\n" : "";
        if (vcb) {
          const cs = commentString(vcb);
          ws += `
${stringifyComment.indentComment(cs, ctx.indent)}`;
        }
        if (valueStr === "" && !ctx.inFlow) {
          if (ws === "\n" && valueComment)
            ws = "\n\n";
        } else {
          ws += `
${ctx.indent}`;
        }
      } else if (!explicitKey && identity.isCollection(value)) {
        const vs0 = valueStr[0];
        const nl0 = valueStr.indexOf("\n");
        const hasNewline = nl0 !== -1;
        const flow = ctx.inFlow ?? value.flow ?? value.items.length === 0;
        if (hasNewline || !flow) {
          let hasPropsLine = false;
          if (hasNewline && (vs0 === "&" || vs0 === "!")) {
            let sp0 = valueStr.indexOf(" ");
            if (vs0 === "&" && sp0 !== -1 && sp0 < nl0 && valueStr[sp0 + 1] === "!") {
              sp0 = valueStr.indexOf(" ", sp0 + 1);
            }
            if (sp0 === -1 || nl0 < sp0)
              hasPropsLine = true;
          }
          if (!hasPropsLine)
            ws = `
${ctx.indent}`;
        }
      } else if (valueStr === "" || valueStr[0] === "\n") {
        ws = "";
      }
      str += ws + valueStr;
      if (ctx.inFlow) {
        if (valueCommentDone && onComment)
          onComment();
      } else if (valueComment && !valueCommentDone) {
        str += stringifyComment.lineComment(str, ctx.indent, commentString(valueComment));
      } else if (chompKeep && onChompKeep) {
        onChompKeep();
      }
      return str;
    }
    exports.stringifyPair = stringifyPair;
  }
});

// node_modules/yaml/dist/log.js
var require_log = __commonJS({
  "node_modules/yaml/dist/log.js"(exports) {
    "use strict";
    var node_process = __require("process");
    function debug(logLevel, ...messages) {
      if (logLevel === "debug")
        console.log(...messages);
    }
    function warn(logLevel, warning) {
      if (logLevel === "debug" || logLevel === "warn") {
        if (typeof node_process.emitWarning === "function")
          node_process.emitWarning(warning);
        else
          console.warn(warning);
      }
    }
    exports.debug = debug;
    exports.warn = warn;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/merge.js
var require_merge = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/merge.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var MERGE_KEY = "<<";
    var merge = {
      identify: (value) => value === MERGE_KEY || typeof value === "symbol" && value.description === MERGE_KEY,
      default: "key",
      tag: "tag:yaml.org,2002:merge",
      test: /^<<$/,
      resolve: () => Object.assign(new Scalar.Scalar(Symbol(MERGE_KEY)), {
        addToJSMap: addMergeToJSMap
      }),
      stringify: () => MERGE_KEY
    };
    var isMergeKey2 = (ctx, key) => (merge.identify(key) || identity.isScalar(key) && (!key.type || key.type === Scalar.Scalar.PLAIN) && merge.identify(key.value)) && ctx?.doc.schema.tags.some((tag) => tag.tag === merge.tag && tag.default);
    function addMergeToJSMap(ctx, map, value) {
      const source = resolveAliasValue(ctx, value);
      if (identity.isSeq(source))
        for (const it of source.items)
          mergeValue(ctx, map, it);
      else if (Array.isArray(source))
        for (const it of source)
          mergeValue(ctx, map, it);
      else
        mergeValue(ctx, map, source);
    }
    function mergeValue(ctx, map, value) {
      const source = resolveAliasValue(ctx, value);
      if (!identity.isMap(source))
        throw new Error("Merge sources must be maps or map aliases");
      const srcMap = source.toJSON(null, ctx, Map);
      for (const [key, value2] of srcMap) {
        if (map instanceof Map) {
          if (!map.has(key))
            map.set(key, value2);
        } else if (map instanceof Set) {
          map.add(key);
        } else if (!Object.prototype.hasOwnProperty.call(map, key)) {
          Object.defineProperty(map, key, {
            value: value2,
            writable: true,
            enumerable: true,
            configurable: true
          });
        }
      }
      return map;
    }
    function resolveAliasValue(ctx, value) {
      return ctx && identity.isAlias(value) ? value.resolve(ctx.doc, ctx) : value;
    }
    exports.addMergeToJSMap = addMergeToJSMap;
    exports.isMergeKey = isMergeKey2;
    exports.merge = merge;
  }
});

// node_modules/yaml/dist/nodes/addPairToJSMap.js
var require_addPairToJSMap = __commonJS({
  "node_modules/yaml/dist/nodes/addPairToJSMap.js"(exports) {
    "use strict";
    var log = require_log();
    var merge = require_merge();
    var stringify = require_stringify();
    var identity = require_identity();
    var toJS = require_toJS();
    function addPairToJSMap(ctx, map, { key, value }) {
      if (identity.isNode(key) && key.addToJSMap)
        key.addToJSMap(ctx, map, value);
      else if (merge.isMergeKey(ctx, key))
        merge.addMergeToJSMap(ctx, map, value);
      else {
        const jsKey = toJS.toJS(key, "", ctx);
        if (map instanceof Map) {
          map.set(jsKey, toJS.toJS(value, jsKey, ctx));
        } else if (map instanceof Set) {
          map.add(jsKey);
        } else {
          const stringKey = stringifyKey(key, jsKey, ctx);
          const jsValue = toJS.toJS(value, stringKey, ctx);
          if (stringKey in map)
            Object.defineProperty(map, stringKey, {
              value: jsValue,
              writable: true,
              enumerable: true,
              configurable: true
            });
          else
            map[stringKey] = jsValue;
        }
      }
      return map;
    }
    function stringifyKey(key, jsKey, ctx) {
      if (jsKey === null)
        return "";
      if (typeof jsKey !== "object")
        return String(jsKey);
      if (identity.isNode(key) && ctx?.doc) {
        const strCtx = stringify.createStringifyContext(ctx.doc, {});
        strCtx.anchors = /* @__PURE__ */ new Set();
        for (const node of ctx.anchors.keys())
          strCtx.anchors.add(node.anchor);
        strCtx.inFlow = true;
        strCtx.inStringifyKey = true;
        const strKey = key.toString(strCtx);
        if (!ctx.mapKeyWarned) {
          let jsonStr = JSON.stringify(strKey);
          if (jsonStr.length > 40)
            jsonStr = jsonStr.substring(0, 36) + '..."';
          log.warn(ctx.doc.options.logLevel, `Keys with collection values will be stringified due to JS Object restrictions: ${jsonStr}. Set mapAsMap: true to use object keys.`);
          ctx.mapKeyWarned = true;
        }
        return strKey;
      }
      return JSON.stringify(jsKey);
    }
    exports.addPairToJSMap = addPairToJSMap;
  }
});

// node_modules/yaml/dist/nodes/Pair.js
var require_Pair = __commonJS({
  "node_modules/yaml/dist/nodes/Pair.js"(exports) {
    "use strict";
    var createNode = require_createNode();
    var stringifyPair = require_stringifyPair();
    var addPairToJSMap = require_addPairToJSMap();
    var identity = require_identity();
    function createPair(key, value, ctx) {
      const k = createNode.createNode(key, void 0, ctx);
      const v = createNode.createNode(value, void 0, ctx);
      return new Pair(k, v);
    }
    var Pair = class _Pair {
      constructor(key, value = null) {
        Object.defineProperty(this, identity.NODE_TYPE, { value: identity.PAIR });
        this.key = key;
        this.value = value;
      }
      clone(schema) {
        let { key, value } = this;
        if (identity.isNode(key))
          key = key.clone(schema);
        if (identity.isNode(value))
          value = value.clone(schema);
        return new _Pair(key, value);
      }
      toJSON(_, ctx) {
        const pair = ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
        return addPairToJSMap.addPairToJSMap(ctx, pair, this);
      }
      toString(ctx, onComment, onChompKeep) {
        return ctx?.doc ? stringifyPair.stringifyPair(this, ctx, onComment, onChompKeep) : JSON.stringify(this);
      }
    };
    exports.Pair = Pair;
    exports.createPair = createPair;
  }
});

// node_modules/yaml/dist/stringify/stringifyCollection.js
var require_stringifyCollection = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyCollection.js"(exports) {
    "use strict";
    var identity = require_identity();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyCollection(collection, ctx, options) {
      const flow = ctx.inFlow ?? collection.flow;
      const stringify2 = flow ? stringifyFlowCollection : stringifyBlockCollection;
      return stringify2(collection, ctx, options);
    }
    function stringifyBlockCollection({ comment, items }, ctx, { blockItemPrefix, flowChars, itemIndent, onChompKeep, onComment }) {
      const { indent, options: { commentString } } = ctx;
      const itemCtx = Object.assign({}, ctx, { indent: itemIndent, type: null });
      let chompKeep = false;
      const lines = [];
      for (let i = 0; i < items.length; ++i) {
        const item = items[i];
        let comment2 = null;
        if (identity.isNode(item)) {
          if (!chompKeep && item.spaceBefore)
            lines.push("");
          addCommentBefore(ctx, lines, item.commentBefore, chompKeep);
          if (item.comment)
            comment2 = item.comment;
        } else if (identity.isPair(item)) {
          const ik = identity.isNode(item.key) ? item.key : null;
          if (ik) {
            if (!chompKeep && ik.spaceBefore)
              lines.push("");
            addCommentBefore(ctx, lines, ik.commentBefore, chompKeep);
          }
        }
        chompKeep = false;
        let str2 = stringify.stringify(item, itemCtx, () => comment2 = null, () => chompKeep = true);
        if (comment2)
          str2 += stringifyComment.lineComment(str2, itemIndent, commentString(comment2));
        if (chompKeep && comment2)
          chompKeep = false;
        lines.push(blockItemPrefix + str2);
      }
      let str;
      if (lines.length === 0) {
        str = flowChars.start + flowChars.end;
      } else {
        str = lines[0];
        for (let i = 1; i < lines.length; ++i) {
          const line = lines[i];
          str += line ? `
${indent}${line}` : "\n";
        }
      }
      if (comment) {
        str += "\n" + stringifyComment.indentComment(commentString(comment), indent);
        if (onComment)
          onComment();
      } else if (chompKeep && onChompKeep)
        onChompKeep();
      return str;
    }
    function stringifyFlowCollection({ items }, ctx, { flowChars, itemIndent }) {
      const { indent, indentStep, flowCollectionPadding: fcPadding, options: { commentString } } = ctx;
      itemIndent += indentStep;
      const itemCtx = Object.assign({}, ctx, {
        indent: itemIndent,
        inFlow: true,
        type: null
      });
      let reqNewline = false;
      let linesAtValue = 0;
      const lines = [];
      for (let i = 0; i < items.length; ++i) {
        const item = items[i];
        let comment = null;
        if (identity.isNode(item)) {
          if (item.spaceBefore)
            lines.push("");
          addCommentBefore(ctx, lines, item.commentBefore, false);
          if (item.comment)
            comment = item.comment;
        } else if (identity.isPair(item)) {
          const ik = identity.isNode(item.key) ? item.key : null;
          if (ik) {
            if (ik.spaceBefore)
              lines.push("");
            addCommentBefore(ctx, lines, ik.commentBefore, false);
            if (ik.comment)
              reqNewline = true;
          }
          const iv = identity.isNode(item.value) ? item.value : null;
          if (iv) {
            if (iv.comment)
              comment = iv.comment;
            if (iv.commentBefore)
              reqNewline = true;
          } else if (item.value == null && ik?.comment) {
            comment = ik.comment;
          }
        }
        if (comment)
          reqNewline = true;
        let str = stringify.stringify(item, itemCtx, () => comment = null);
        reqNewline || (reqNewline = lines.length > linesAtValue || str.includes("\n"));
        if (i < items.length - 1) {
          str += ",";
        } else if (ctx.options.trailingComma) {
          if (ctx.options.lineWidth > 0) {
            reqNewline || (reqNewline = lines.reduce((sum, line) => sum + line.length + 2, 2) + (str.length + 2) > ctx.options.lineWidth);
          }
          if (reqNewline) {
            str += ",";
          }
        }
        if (comment)
          str += stringifyComment.lineComment(str, itemIndent, commentString(comment));
        lines.push(str);
        linesAtValue = lines.length;
      }
      const { start, end: end2 } = flowChars;
      if (lines.length === 0) {
        return start + end2;
      } else {
        if (!reqNewline) {
          const len = lines.reduce((sum, line) => sum + line.length + 2, 2);
          reqNewline = ctx.options.lineWidth > 0 && len > ctx.options.lineWidth;
        }
        if (reqNewline) {
          let str = start;
          for (const line of lines)
            str += line ? `
${indentStep}${indent}${line}` : "\n";
          return `${str}
${indent}${end2}`;
        } else {
          return `${start}${fcPadding}${lines.join(" ")}${fcPadding}${end2}`;
        }
      }
    }
    function addCommentBefore({ indent, options: { commentString } }, lines, comment, chompKeep) {
      if (comment && chompKeep)
        comment = comment.replace(/^\n+/, "");
      if (comment) {
        const ic = stringifyComment.indentComment(commentString(comment), indent);
        lines.push(ic.trimStart());
      }
    }
    exports.stringifyCollection = stringifyCollection;
  }
});

// node_modules/yaml/dist/nodes/YAMLMap.js
var require_YAMLMap = __commonJS({
  "node_modules/yaml/dist/nodes/YAMLMap.js"(exports) {
    "use strict";
    var stringifyCollection = require_stringifyCollection();
    var addPairToJSMap = require_addPairToJSMap();
    var Collection = require_Collection();
    var identity = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    function findPair(items, key) {
      const k = identity.isScalar(key) ? key.value : key;
      for (const it of items) {
        if (identity.isPair(it)) {
          if (it.key === key || it.key === k)
            return it;
          if (identity.isScalar(it.key) && it.key.value === k)
            return it;
        }
      }
      return void 0;
    }
    var YAMLMap = class extends Collection.Collection {
      static get tagName() {
        return "tag:yaml.org,2002:map";
      }
      constructor(schema) {
        super(identity.MAP, schema);
        this.items = [];
      }
      /**
       * A generic collection parsing method that can be extended
       * to other node classes that inherit from YAMLMap
       */
      static from(schema, obj, ctx) {
        const { keepUndefined, replacer } = ctx;
        const map = new this(schema);
        const add = (key, value) => {
          if (typeof replacer === "function")
            value = replacer.call(obj, key, value);
          else if (Array.isArray(replacer) && !replacer.includes(key))
            return;
          if (value !== void 0 || keepUndefined)
            map.items.push(Pair.createPair(key, value, ctx));
        };
        if (obj instanceof Map) {
          for (const [key, value] of obj)
            add(key, value);
        } else if (obj && typeof obj === "object") {
          for (const key of Object.keys(obj))
            add(key, obj[key]);
        }
        if (typeof schema.sortMapEntries === "function") {
          map.items.sort(schema.sortMapEntries);
        }
        return map;
      }
      /**
       * Adds a value to the collection.
       *
       * @param overwrite - If not set `true`, using a key that is already in the
       *   collection will throw. Otherwise, overwrites the previous value.
       */
      add(pair, overwrite) {
        let _pair;
        if (identity.isPair(pair))
          _pair = pair;
        else if (!pair || typeof pair !== "object" || !("key" in pair)) {
          _pair = new Pair.Pair(pair, pair?.value);
        } else
          _pair = new Pair.Pair(pair.key, pair.value);
        const prev = findPair(this.items, _pair.key);
        const sortEntries = this.schema?.sortMapEntries;
        if (prev) {
          if (!overwrite)
            throw new Error(`Key ${_pair.key} already set`);
          if (identity.isScalar(prev.value) && Scalar.isScalarValue(_pair.value))
            prev.value.value = _pair.value;
          else
            prev.value = _pair.value;
        } else if (sortEntries) {
          const i = this.items.findIndex((item) => sortEntries(_pair, item) < 0);
          if (i === -1)
            this.items.push(_pair);
          else
            this.items.splice(i, 0, _pair);
        } else {
          this.items.push(_pair);
        }
      }
      delete(key) {
        const it = findPair(this.items, key);
        if (!it)
          return false;
        const del = this.items.splice(this.items.indexOf(it), 1);
        return del.length > 0;
      }
      get(key, keepScalar) {
        const it = findPair(this.items, key);
        const node = it?.value;
        return (!keepScalar && identity.isScalar(node) ? node.value : node) ?? void 0;
      }
      has(key) {
        return !!findPair(this.items, key);
      }
      set(key, value) {
        this.add(new Pair.Pair(key, value), true);
      }
      /**
       * @param ctx - Conversion context, originally set in Document#toJS()
       * @param {Class} Type - If set, forces the returned collection type
       * @returns Instance of Type, Map, or Object
       */
      toJSON(_, ctx, Type) {
        const map = Type ? new Type() : ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
        if (ctx?.onCreate)
          ctx.onCreate(map);
        for (const item of this.items)
          addPairToJSMap.addPairToJSMap(ctx, map, item);
        return map;
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        for (const item of this.items) {
          if (!identity.isPair(item))
            throw new Error(`Map items must all be pairs; found ${JSON.stringify(item)} instead`);
        }
        if (!ctx.allNullValues && this.hasAllNullValues(false))
          ctx = Object.assign({}, ctx, { allNullValues: true });
        return stringifyCollection.stringifyCollection(this, ctx, {
          blockItemPrefix: "",
          flowChars: { start: "{", end: "}" },
          itemIndent: ctx.indent || "",
          onChompKeep,
          onComment
        });
      }
    };
    exports.YAMLMap = YAMLMap;
    exports.findPair = findPair;
  }
});

// node_modules/yaml/dist/schema/common/map.js
var require_map = __commonJS({
  "node_modules/yaml/dist/schema/common/map.js"(exports) {
    "use strict";
    var identity = require_identity();
    var YAMLMap = require_YAMLMap();
    var map = {
      collection: "map",
      default: true,
      nodeClass: YAMLMap.YAMLMap,
      tag: "tag:yaml.org,2002:map",
      resolve(map2, onError) {
        if (!identity.isMap(map2))
          onError("Expected a mapping for this tag");
        return map2;
      },
      createNode: (schema, obj, ctx) => YAMLMap.YAMLMap.from(schema, obj, ctx)
    };
    exports.map = map;
  }
});

// node_modules/yaml/dist/nodes/YAMLSeq.js
var require_YAMLSeq = __commonJS({
  "node_modules/yaml/dist/nodes/YAMLSeq.js"(exports) {
    "use strict";
    var createNode = require_createNode();
    var stringifyCollection = require_stringifyCollection();
    var Collection = require_Collection();
    var identity = require_identity();
    var Scalar = require_Scalar();
    var toJS = require_toJS();
    var YAMLSeq = class extends Collection.Collection {
      static get tagName() {
        return "tag:yaml.org,2002:seq";
      }
      constructor(schema) {
        super(identity.SEQ, schema);
        this.items = [];
      }
      add(value) {
        this.items.push(value);
      }
      /**
       * Removes a value from the collection.
       *
       * `key` must contain a representation of an integer for this to succeed.
       * It may be wrapped in a `Scalar`.
       *
       * @returns `true` if the item was found and removed.
       */
      delete(key) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          return false;
        const del = this.items.splice(idx, 1);
        return del.length > 0;
      }
      get(key, keepScalar) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          return void 0;
        const it = this.items[idx];
        return !keepScalar && identity.isScalar(it) ? it.value : it;
      }
      /**
       * Checks if the collection includes a value with the key `key`.
       *
       * `key` must contain a representation of an integer for this to succeed.
       * It may be wrapped in a `Scalar`.
       */
      has(key) {
        const idx = asItemIndex(key);
        return typeof idx === "number" && idx < this.items.length;
      }
      /**
       * Sets a value in this collection. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       *
       * If `key` does not contain a representation of an integer, this will throw.
       * It may be wrapped in a `Scalar`.
       */
      set(key, value) {
        const idx = asItemIndex(key);
        if (typeof idx !== "number")
          throw new Error(`Expected a valid index, not ${key}.`);
        const prev = this.items[idx];
        if (identity.isScalar(prev) && Scalar.isScalarValue(value))
          prev.value = value;
        else
          this.items[idx] = value;
      }
      toJSON(_, ctx) {
        const seq = [];
        if (ctx?.onCreate)
          ctx.onCreate(seq);
        let i = 0;
        for (const item of this.items)
          seq.push(toJS.toJS(item, String(i++), ctx));
        return seq;
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        return stringifyCollection.stringifyCollection(this, ctx, {
          blockItemPrefix: "- ",
          flowChars: { start: "[", end: "]" },
          itemIndent: (ctx.indent || "") + "  ",
          onChompKeep,
          onComment
        });
      }
      static from(schema, obj, ctx) {
        const { replacer } = ctx;
        const seq = new this(schema);
        if (obj && Symbol.iterator in Object(obj)) {
          let i = 0;
          for (let it of obj) {
            if (typeof replacer === "function") {
              const key = obj instanceof Set ? it : String(i++);
              it = replacer.call(obj, key, it);
            }
            seq.items.push(createNode.createNode(it, void 0, ctx));
          }
        }
        return seq;
      }
    };
    function asItemIndex(key) {
      let idx = identity.isScalar(key) ? key.value : key;
      if (idx && typeof idx === "string")
        idx = Number(idx);
      return typeof idx === "number" && Number.isInteger(idx) && idx >= 0 ? idx : null;
    }
    exports.YAMLSeq = YAMLSeq;
  }
});

// node_modules/yaml/dist/schema/common/seq.js
var require_seq = __commonJS({
  "node_modules/yaml/dist/schema/common/seq.js"(exports) {
    "use strict";
    var identity = require_identity();
    var YAMLSeq = require_YAMLSeq();
    var seq = {
      collection: "seq",
      default: true,
      nodeClass: YAMLSeq.YAMLSeq,
      tag: "tag:yaml.org,2002:seq",
      resolve(seq2, onError) {
        if (!identity.isSeq(seq2))
          onError("Expected a sequence for this tag");
        return seq2;
      },
      createNode: (schema, obj, ctx) => YAMLSeq.YAMLSeq.from(schema, obj, ctx)
    };
    exports.seq = seq;
  }
});

// node_modules/yaml/dist/schema/common/string.js
var require_string = __commonJS({
  "node_modules/yaml/dist/schema/common/string.js"(exports) {
    "use strict";
    var stringifyString = require_stringifyString();
    var string = {
      identify: (value) => typeof value === "string",
      default: true,
      tag: "tag:yaml.org,2002:str",
      resolve: (str) => str,
      stringify(item, ctx, onComment, onChompKeep) {
        ctx = Object.assign({ actualString: true }, ctx);
        return stringifyString.stringifyString(item, ctx, onComment, onChompKeep);
      }
    };
    exports.string = string;
  }
});

// node_modules/yaml/dist/schema/common/null.js
var require_null = __commonJS({
  "node_modules/yaml/dist/schema/common/null.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var nullTag = {
      identify: (value) => value == null,
      createNode: () => new Scalar.Scalar(null),
      default: true,
      tag: "tag:yaml.org,2002:null",
      test: /^(?:~|[Nn]ull|NULL)?$/,
      resolve: () => new Scalar.Scalar(null),
      stringify: ({ source }, ctx) => typeof source === "string" && nullTag.test.test(source) ? source : ctx.options.nullStr
    };
    exports.nullTag = nullTag;
  }
});

// node_modules/yaml/dist/schema/core/bool.js
var require_bool = __commonJS({
  "node_modules/yaml/dist/schema/core/bool.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var boolTag = {
      identify: (value) => typeof value === "boolean",
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/,
      resolve: (str) => new Scalar.Scalar(str[0] === "t" || str[0] === "T"),
      stringify({ source, value }, ctx) {
        if (source && boolTag.test.test(source)) {
          const sv = source[0] === "t" || source[0] === "T";
          if (value === sv)
            return source;
        }
        return value ? ctx.options.trueStr : ctx.options.falseStr;
      }
    };
    exports.boolTag = boolTag;
  }
});

// node_modules/yaml/dist/stringify/stringifyNumber.js
var require_stringifyNumber = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyNumber.js"(exports) {
    "use strict";
    function stringifyNumber({ format, minFractionDigits, tag, value }) {
      if (typeof value === "bigint")
        return String(value);
      const num = typeof value === "number" ? value : Number(value);
      if (!isFinite(num))
        return isNaN(num) ? ".nan" : num < 0 ? "-.inf" : ".inf";
      let n = Object.is(value, -0) ? "-0" : JSON.stringify(value);
      if (!format && minFractionDigits && (!tag || tag === "tag:yaml.org,2002:float") && /^-?\d/.test(n) && !n.includes("e")) {
        let i = n.indexOf(".");
        if (i < 0) {
          i = n.length;
          n += ".";
        }
        let d = minFractionDigits - (n.length - i - 1);
        while (d-- > 0)
          n += "0";
      }
      return n;
    }
    exports.stringifyNumber = stringifyNumber;
  }
});

// node_modules/yaml/dist/schema/core/float.js
var require_float = __commonJS({
  "node_modules/yaml/dist/schema/core/float.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var stringifyNumber = require_stringifyNumber();
    var floatNaN = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
      resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      stringify: stringifyNumber.stringifyNumber
    };
    var floatExp = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "EXP",
      test: /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/,
      resolve: (str) => parseFloat(str),
      stringify(node) {
        const num = Number(node.value);
        return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
      }
    };
    var float = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/,
      resolve(str) {
        const node = new Scalar.Scalar(parseFloat(str));
        const dot = str.indexOf(".");
        if (dot !== -1 && str[str.length - 1] === "0")
          node.minFractionDigits = str.length - dot - 1;
        return node;
      },
      stringify: stringifyNumber.stringifyNumber
    };
    exports.float = float;
    exports.floatExp = floatExp;
    exports.floatNaN = floatNaN;
  }
});

// node_modules/yaml/dist/schema/core/int.js
var require_int = __commonJS({
  "node_modules/yaml/dist/schema/core/int.js"(exports) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
    var intResolve = (str, offset, radix, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str.substring(offset), radix);
    function intStringify(node, radix, prefix) {
      const { value } = node;
      if (intIdentify(value) && value >= 0)
        return prefix + value.toString(radix);
      return stringifyNumber.stringifyNumber(node);
    }
    var intOct = {
      identify: (value) => intIdentify(value) && value >= 0,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "OCT",
      test: /^0o[0-7]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 8, opt),
      stringify: (node) => intStringify(node, 8, "0o")
    };
    var int = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      test: /^[-+]?[0-9]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
      stringify: stringifyNumber.stringifyNumber
    };
    var intHex = {
      identify: (value) => intIdentify(value) && value >= 0,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "HEX",
      test: /^0x[0-9a-fA-F]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
      stringify: (node) => intStringify(node, 16, "0x")
    };
    exports.int = int;
    exports.intHex = intHex;
    exports.intOct = intOct;
  }
});

// node_modules/yaml/dist/schema/core/schema.js
var require_schema = __commonJS({
  "node_modules/yaml/dist/schema/core/schema.js"(exports) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var bool = require_bool();
    var float = require_float();
    var int = require_int();
    var schema = [
      map.map,
      seq.seq,
      string.string,
      _null.nullTag,
      bool.boolTag,
      int.intOct,
      int.int,
      int.intHex,
      float.floatNaN,
      float.floatExp,
      float.float
    ];
    exports.schema = schema;
  }
});

// node_modules/yaml/dist/schema/json/schema.js
var require_schema2 = __commonJS({
  "node_modules/yaml/dist/schema/json/schema.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var map = require_map();
    var seq = require_seq();
    function intIdentify(value) {
      return typeof value === "bigint" || Number.isInteger(value);
    }
    var stringifyJSON = ({ value }) => JSON.stringify(value);
    var jsonScalars = [
      {
        identify: (value) => typeof value === "string",
        default: true,
        tag: "tag:yaml.org,2002:str",
        resolve: (str) => str,
        stringify: stringifyJSON
      },
      {
        identify: (value) => value == null,
        createNode: () => new Scalar.Scalar(null),
        default: true,
        tag: "tag:yaml.org,2002:null",
        test: /^null$/,
        resolve: () => null,
        stringify: stringifyJSON
      },
      {
        identify: (value) => typeof value === "boolean",
        default: true,
        tag: "tag:yaml.org,2002:bool",
        test: /^true$|^false$/,
        resolve: (str) => str === "true",
        stringify: stringifyJSON
      },
      {
        identify: intIdentify,
        default: true,
        tag: "tag:yaml.org,2002:int",
        test: /^-?(?:0|[1-9][0-9]*)$/,
        resolve: (str, _onError, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str, 10),
        stringify: ({ value }) => intIdentify(value) ? value.toString() : JSON.stringify(value)
      },
      {
        identify: (value) => typeof value === "number",
        default: true,
        tag: "tag:yaml.org,2002:float",
        test: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$/,
        resolve: (str) => parseFloat(str),
        stringify: stringifyJSON
      }
    ];
    var jsonError = {
      default: true,
      tag: "",
      test: /^/,
      resolve(str, onError) {
        onError(`Unresolved plain scalar ${JSON.stringify(str)}`);
        return str;
      }
    };
    var schema = [map.map, seq.seq].concat(jsonScalars, jsonError);
    exports.schema = schema;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/binary.js
var require_binary = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/binary.js"(exports) {
    "use strict";
    var node_buffer = __require("buffer");
    var Scalar = require_Scalar();
    var stringifyString = require_stringifyString();
    var binary = {
      identify: (value) => value instanceof Uint8Array,
      // Buffer inherits from Uint8Array
      default: false,
      tag: "tag:yaml.org,2002:binary",
      /**
       * Returns a Buffer in node and an Uint8Array in browsers
       *
       * To use the resulting buffer as an image, you'll want to do something like:
       *
       *   const blob = new Blob([buffer], { type: 'image/jpeg' })
       *   document.querySelector('#photo').src = URL.createObjectURL(blob)
       */
      resolve(src, onError) {
        if (typeof node_buffer.Buffer === "function") {
          return node_buffer.Buffer.from(src, "base64");
        } else if (typeof atob === "function") {
          const str = atob(src.replace(/[\n\r]/g, ""));
          const buffer = new Uint8Array(str.length);
          for (let i = 0; i < str.length; ++i)
            buffer[i] = str.charCodeAt(i);
          return buffer;
        } else {
          onError("This environment does not support reading binary tags; either Buffer or atob is required");
          return src;
        }
      },
      stringify({ comment, type, value }, ctx, onComment, onChompKeep) {
        if (!value)
          return "";
        const buf = value;
        let str;
        if (typeof node_buffer.Buffer === "function") {
          str = buf instanceof node_buffer.Buffer ? buf.toString("base64") : node_buffer.Buffer.from(buf.buffer).toString("base64");
        } else if (typeof btoa === "function") {
          let s = "";
          for (let i = 0; i < buf.length; ++i)
            s += String.fromCharCode(buf[i]);
          str = btoa(s);
        } else {
          throw new Error("This environment does not support writing binary tags; either Buffer or btoa is required");
        }
        type ?? (type = Scalar.Scalar.BLOCK_LITERAL);
        if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
          const lineWidth = Math.max(ctx.options.lineWidth - ctx.indent.length, ctx.options.minContentWidth);
          const n = Math.ceil(str.length / lineWidth);
          const lines = new Array(n);
          for (let i = 0, o = 0; i < n; ++i, o += lineWidth) {
            lines[i] = str.substr(o, lineWidth);
          }
          str = lines.join(type === Scalar.Scalar.BLOCK_LITERAL ? "\n" : " ");
        }
        return stringifyString.stringifyString({ comment, type, value: str }, ctx, onComment, onChompKeep);
      }
    };
    exports.binary = binary;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/pairs.js
var require_pairs = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/pairs.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    var YAMLSeq = require_YAMLSeq();
    function resolvePairs(seq, onError) {
      if (identity.isSeq(seq)) {
        for (let i = 0; i < seq.items.length; ++i) {
          let item = seq.items[i];
          if (identity.isPair(item))
            continue;
          else if (identity.isMap(item)) {
            if (item.items.length > 1)
              onError("Each pair must have its own sequence indicator");
            const pair = item.items[0] || new Pair.Pair(new Scalar.Scalar(null));
            if (item.commentBefore)
              pair.key.commentBefore = pair.key.commentBefore ? `${item.commentBefore}
${pair.key.commentBefore}` : item.commentBefore;
            if (item.comment) {
              const cn = pair.value ?? pair.key;
              cn.comment = cn.comment ? `${item.comment}
${cn.comment}` : item.comment;
            }
            item = pair;
          }
          seq.items[i] = identity.isPair(item) ? item : new Pair.Pair(item);
        }
      } else
        onError("Expected a sequence for this tag");
      return seq;
    }
    function createPairs(schema, iterable, ctx) {
      const { replacer } = ctx;
      const pairs2 = new YAMLSeq.YAMLSeq(schema);
      pairs2.tag = "tag:yaml.org,2002:pairs";
      let i = 0;
      if (iterable && Symbol.iterator in Object(iterable))
        for (let it of iterable) {
          if (typeof replacer === "function")
            it = replacer.call(iterable, String(i++), it);
          let key, value;
          if (Array.isArray(it)) {
            if (it.length === 2) {
              key = it[0];
              value = it[1];
            } else
              throw new TypeError(`Expected [key, value] tuple: ${it}`);
          } else if (it && it instanceof Object) {
            const keys = Object.keys(it);
            if (keys.length === 1) {
              key = keys[0];
              value = it[key];
            } else {
              throw new TypeError(`Expected tuple with one key, not ${keys.length} keys`);
            }
          } else {
            key = it;
          }
          pairs2.items.push(Pair.createPair(key, value, ctx));
        }
      return pairs2;
    }
    var pairs = {
      collection: "seq",
      default: false,
      tag: "tag:yaml.org,2002:pairs",
      resolve: resolvePairs,
      createNode: createPairs
    };
    exports.createPairs = createPairs;
    exports.pairs = pairs;
    exports.resolvePairs = resolvePairs;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/omap.js
var require_omap = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/omap.js"(exports) {
    "use strict";
    var identity = require_identity();
    var toJS = require_toJS();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var pairs = require_pairs();
    var YAMLOMap = class _YAMLOMap extends YAMLSeq.YAMLSeq {
      constructor() {
        super();
        this.add = YAMLMap.YAMLMap.prototype.add.bind(this);
        this.delete = YAMLMap.YAMLMap.prototype.delete.bind(this);
        this.get = YAMLMap.YAMLMap.prototype.get.bind(this);
        this.has = YAMLMap.YAMLMap.prototype.has.bind(this);
        this.set = YAMLMap.YAMLMap.prototype.set.bind(this);
        this.tag = _YAMLOMap.tag;
      }
      /**
       * If `ctx` is given, the return type is actually `Map<unknown, unknown>`,
       * but TypeScript won't allow widening the signature of a child method.
       */
      toJSON(_, ctx) {
        if (!ctx)
          return super.toJSON(_);
        const map = /* @__PURE__ */ new Map();
        if (ctx?.onCreate)
          ctx.onCreate(map);
        for (const pair of this.items) {
          let key, value;
          if (identity.isPair(pair)) {
            key = toJS.toJS(pair.key, "", ctx);
            value = toJS.toJS(pair.value, key, ctx);
          } else {
            key = toJS.toJS(pair, "", ctx);
          }
          if (map.has(key))
            throw new Error("Ordered maps must not include duplicate keys");
          map.set(key, value);
        }
        return map;
      }
      static from(schema, iterable, ctx) {
        const pairs$1 = pairs.createPairs(schema, iterable, ctx);
        const omap2 = new this();
        omap2.items = pairs$1.items;
        return omap2;
      }
    };
    YAMLOMap.tag = "tag:yaml.org,2002:omap";
    var omap = {
      collection: "seq",
      identify: (value) => value instanceof Map,
      nodeClass: YAMLOMap,
      default: false,
      tag: "tag:yaml.org,2002:omap",
      resolve(seq, onError) {
        const pairs$1 = pairs.resolvePairs(seq, onError);
        const seenKeys = [];
        for (const { key } of pairs$1.items) {
          if (identity.isScalar(key)) {
            if (seenKeys.includes(key.value)) {
              onError(`Ordered maps must not include duplicate keys: ${key.value}`);
            } else {
              seenKeys.push(key.value);
            }
          }
        }
        return Object.assign(new YAMLOMap(), pairs$1);
      },
      createNode: (schema, iterable, ctx) => YAMLOMap.from(schema, iterable, ctx)
    };
    exports.YAMLOMap = YAMLOMap;
    exports.omap = omap;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/bool.js
var require_bool2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/bool.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    function boolStringify({ value, source }, ctx) {
      const boolObj = value ? trueTag : falseTag;
      if (source && boolObj.test.test(source))
        return source;
      return value ? ctx.options.trueStr : ctx.options.falseStr;
    }
    var trueTag = {
      identify: (value) => value === true,
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/,
      resolve: () => new Scalar.Scalar(true),
      stringify: boolStringify
    };
    var falseTag = {
      identify: (value) => value === false,
      default: true,
      tag: "tag:yaml.org,2002:bool",
      test: /^(?:N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
      resolve: () => new Scalar.Scalar(false),
      stringify: boolStringify
    };
    exports.falseTag = falseTag;
    exports.trueTag = trueTag;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/float.js
var require_float2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/float.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var stringifyNumber = require_stringifyNumber();
    var floatNaN = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
      resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
      stringify: stringifyNumber.stringifyNumber
    };
    var floatExp = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "EXP",
      test: /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
      resolve: (str) => parseFloat(str.replace(/_/g, "")),
      stringify(node) {
        const num = Number(node.value);
        return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
      }
    };
    var float = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      test: /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*$/,
      resolve(str) {
        const node = new Scalar.Scalar(parseFloat(str.replace(/_/g, "")));
        const dot = str.indexOf(".");
        if (dot !== -1) {
          const f = str.substring(dot + 1).replace(/_/g, "");
          if (f[f.length - 1] === "0")
            node.minFractionDigits = f.length;
        }
        return node;
      },
      stringify: stringifyNumber.stringifyNumber
    };
    exports.float = float;
    exports.floatExp = floatExp;
    exports.floatNaN = floatNaN;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/int.js
var require_int2 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/int.js"(exports) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    var intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
    function intResolve(str, offset, radix, { intAsBigInt }) {
      const sign = str[0];
      if (sign === "-" || sign === "+")
        offset += 1;
      str = str.substring(offset).replace(/_/g, "");
      if (intAsBigInt) {
        switch (radix) {
          case 2:
            str = `0b${str}`;
            break;
          case 8:
            str = `0o${str}`;
            break;
          case 16:
            str = `0x${str}`;
            break;
        }
        const n2 = BigInt(str);
        return sign === "-" ? BigInt(-1) * n2 : n2;
      }
      const n = parseInt(str, radix);
      return sign === "-" ? -1 * n : n;
    }
    function intStringify(node, radix, prefix) {
      const { value } = node;
      if (intIdentify(value)) {
        const str = value.toString(radix);
        return value < 0 ? "-" + prefix + str.substr(1) : prefix + str;
      }
      return stringifyNumber.stringifyNumber(node);
    }
    var intBin = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "BIN",
      test: /^[-+]?0b[0-1_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 2, opt),
      stringify: (node) => intStringify(node, 2, "0b")
    };
    var intOct = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "OCT",
      test: /^[-+]?0[0-7_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 1, 8, opt),
      stringify: (node) => intStringify(node, 8, "0")
    };
    var int = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      test: /^[-+]?[0-9][0-9_]*$/,
      resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
      stringify: stringifyNumber.stringifyNumber
    };
    var intHex = {
      identify: intIdentify,
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "HEX",
      test: /^[-+]?0x[0-9a-fA-F_]+$/,
      resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
      stringify: (node) => intStringify(node, 16, "0x")
    };
    exports.int = int;
    exports.intBin = intBin;
    exports.intHex = intHex;
    exports.intOct = intOct;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/set.js
var require_set = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/set.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var YAMLSet = class _YAMLSet extends YAMLMap.YAMLMap {
      constructor(schema) {
        super(schema);
        this.tag = _YAMLSet.tag;
      }
      add(key) {
        let pair;
        if (identity.isPair(key))
          pair = key;
        else if (key && typeof key === "object" && "key" in key && "value" in key && key.value === null)
          pair = new Pair.Pair(key.key, null);
        else
          pair = new Pair.Pair(key, null);
        const prev = YAMLMap.findPair(this.items, pair.key);
        if (!prev)
          this.items.push(pair);
      }
      /**
       * If `keepPair` is `true`, returns the Pair matching `key`.
       * Otherwise, returns the value of that Pair's key.
       */
      get(key, keepPair) {
        const pair = YAMLMap.findPair(this.items, key);
        return !keepPair && identity.isPair(pair) ? identity.isScalar(pair.key) ? pair.key.value : pair.key : pair;
      }
      set(key, value) {
        if (typeof value !== "boolean")
          throw new Error(`Expected boolean value for set(key, value) in a YAML set, not ${typeof value}`);
        const prev = YAMLMap.findPair(this.items, key);
        if (prev && !value) {
          this.items.splice(this.items.indexOf(prev), 1);
        } else if (!prev && value) {
          this.items.push(new Pair.Pair(key));
        }
      }
      toJSON(_, ctx) {
        return super.toJSON(_, ctx, Set);
      }
      toString(ctx, onComment, onChompKeep) {
        if (!ctx)
          return JSON.stringify(this);
        if (this.hasAllNullValues(true))
          return super.toString(Object.assign({}, ctx, { allNullValues: true }), onComment, onChompKeep);
        else
          throw new Error("Set items must all have null values");
      }
      static from(schema, iterable, ctx) {
        const { replacer } = ctx;
        const set2 = new this(schema);
        if (iterable && Symbol.iterator in Object(iterable))
          for (let value of iterable) {
            if (typeof replacer === "function")
              value = replacer.call(iterable, value, value);
            set2.items.push(Pair.createPair(value, null, ctx));
          }
        return set2;
      }
    };
    YAMLSet.tag = "tag:yaml.org,2002:set";
    var set = {
      collection: "map",
      identify: (value) => value instanceof Set,
      nodeClass: YAMLSet,
      default: false,
      tag: "tag:yaml.org,2002:set",
      createNode: (schema, iterable, ctx) => YAMLSet.from(schema, iterable, ctx),
      resolve(map, onError) {
        if (identity.isMap(map)) {
          if (map.hasAllNullValues(true))
            return Object.assign(new YAMLSet(), map);
          else
            onError("Set items must all have null values");
        } else
          onError("Expected a mapping for this tag");
        return map;
      }
    };
    exports.YAMLSet = YAMLSet;
    exports.set = set;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/timestamp.js
var require_timestamp = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/timestamp.js"(exports) {
    "use strict";
    var stringifyNumber = require_stringifyNumber();
    function parseSexagesimal(str, asBigInt) {
      const sign = str[0];
      const parts = sign === "-" || sign === "+" ? str.substring(1) : str;
      const num = (n) => asBigInt ? BigInt(n) : Number(n);
      const res = parts.replace(/_/g, "").split(":").reduce((res2, p) => res2 * num(60) + num(p), num(0));
      return sign === "-" ? num(-1) * res : res;
    }
    function stringifySexagesimal(node) {
      let { value } = node;
      let num = (n) => n;
      if (typeof value === "bigint")
        num = (n) => BigInt(n);
      else if (isNaN(value) || !isFinite(value))
        return stringifyNumber.stringifyNumber(node);
      let sign = "";
      if (value < 0) {
        sign = "-";
        value *= num(-1);
      }
      const _60 = num(60);
      const parts = [value % _60];
      if (value < 60) {
        parts.unshift(0);
      } else {
        value = (value - parts[0]) / _60;
        parts.unshift(value % _60);
        if (value >= 60) {
          value = (value - parts[0]) / _60;
          parts.unshift(value);
        }
      }
      return sign + parts.map((n) => String(n).padStart(2, "0")).join(":").replace(/000000\d*$/, "");
    }
    var intTime = {
      identify: (value) => typeof value === "bigint" || Number.isInteger(value),
      default: true,
      tag: "tag:yaml.org,2002:int",
      format: "TIME",
      test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+$/,
      resolve: (str, _onError, { intAsBigInt }) => parseSexagesimal(str, intAsBigInt),
      stringify: stringifySexagesimal
    };
    var floatTime = {
      identify: (value) => typeof value === "number",
      default: true,
      tag: "tag:yaml.org,2002:float",
      format: "TIME",
      test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
      resolve: (str) => parseSexagesimal(str, false),
      stringify: stringifySexagesimal
    };
    var timestamp = {
      identify: (value) => value instanceof Date,
      default: true,
      tag: "tag:yaml.org,2002:timestamp",
      // If the time zone is omitted, the timestamp is assumed to be specified in UTC. The time part
      // may be omitted altogether, resulting in a date format. In such a case, the time part is
      // assumed to be 00:00:00Z (start of day, UTC).
      test: RegExp("^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:t|T|[ \\t]+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2}(\\.[0-9]+)?)(?:[ \\t]*(Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?$"),
      resolve(str) {
        const match = str.match(timestamp.test);
        if (!match)
          throw new Error("!!timestamp expects a date, starting with yyyy-mm-dd");
        const [, year, month, day, hour, minute, second] = match.map(Number);
        const millisec = match[7] ? Number((match[7] + "00").substr(1, 3)) : 0;
        let date = Date.UTC(year, month - 1, day, hour || 0, minute || 0, second || 0, millisec);
        const tz = match[8];
        if (tz && tz !== "Z") {
          let d = parseSexagesimal(tz, false);
          if (Math.abs(d) < 30)
            d *= 60;
          date -= 6e4 * d;
        }
        return new Date(date);
      },
      stringify: ({ value }) => value?.toISOString().replace(/(T00:00:00)?\.000Z$/, "") ?? ""
    };
    exports.floatTime = floatTime;
    exports.intTime = intTime;
    exports.timestamp = timestamp;
  }
});

// node_modules/yaml/dist/schema/yaml-1.1/schema.js
var require_schema3 = __commonJS({
  "node_modules/yaml/dist/schema/yaml-1.1/schema.js"(exports) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var binary = require_binary();
    var bool = require_bool2();
    var float = require_float2();
    var int = require_int2();
    var merge = require_merge();
    var omap = require_omap();
    var pairs = require_pairs();
    var set = require_set();
    var timestamp = require_timestamp();
    var schema = [
      map.map,
      seq.seq,
      string.string,
      _null.nullTag,
      bool.trueTag,
      bool.falseTag,
      int.intBin,
      int.intOct,
      int.int,
      int.intHex,
      float.floatNaN,
      float.floatExp,
      float.float,
      binary.binary,
      merge.merge,
      omap.omap,
      pairs.pairs,
      set.set,
      timestamp.intTime,
      timestamp.floatTime,
      timestamp.timestamp
    ];
    exports.schema = schema;
  }
});

// node_modules/yaml/dist/schema/tags.js
var require_tags = __commonJS({
  "node_modules/yaml/dist/schema/tags.js"(exports) {
    "use strict";
    var map = require_map();
    var _null = require_null();
    var seq = require_seq();
    var string = require_string();
    var bool = require_bool();
    var float = require_float();
    var int = require_int();
    var schema = require_schema();
    var schema$1 = require_schema2();
    var binary = require_binary();
    var merge = require_merge();
    var omap = require_omap();
    var pairs = require_pairs();
    var schema$2 = require_schema3();
    var set = require_set();
    var timestamp = require_timestamp();
    var schemas = /* @__PURE__ */ new Map([
      ["core", schema.schema],
      ["failsafe", [map.map, seq.seq, string.string]],
      ["json", schema$1.schema],
      ["yaml11", schema$2.schema],
      ["yaml-1.1", schema$2.schema]
    ]);
    var tagsByName = {
      binary: binary.binary,
      bool: bool.boolTag,
      float: float.float,
      floatExp: float.floatExp,
      floatNaN: float.floatNaN,
      floatTime: timestamp.floatTime,
      int: int.int,
      intHex: int.intHex,
      intOct: int.intOct,
      intTime: timestamp.intTime,
      map: map.map,
      merge: merge.merge,
      null: _null.nullTag,
      omap: omap.omap,
      pairs: pairs.pairs,
      seq: seq.seq,
      set: set.set,
      timestamp: timestamp.timestamp
    };
    var coreKnownTags = {
      "tag:yaml.org,2002:binary": binary.binary,
      "tag:yaml.org,2002:merge": merge.merge,
      "tag:yaml.org,2002:omap": omap.omap,
      "tag:yaml.org,2002:pairs": pairs.pairs,
      "tag:yaml.org,2002:set": set.set,
      "tag:yaml.org,2002:timestamp": timestamp.timestamp
    };
    function getTags(customTags, schemaName, addMergeTag) {
      const schemaTags = schemas.get(schemaName);
      if (schemaTags && !customTags) {
        return addMergeTag && !schemaTags.includes(merge.merge) ? schemaTags.concat(merge.merge) : schemaTags.slice();
      }
      let tags = schemaTags;
      if (!tags) {
        if (Array.isArray(customTags))
          tags = [];
        else {
          const keys = Array.from(schemas.keys()).filter((key) => key !== "yaml11").map((key) => JSON.stringify(key)).join(", ");
          throw new Error(`Unknown schema "${schemaName}"; use one of ${keys} or define customTags array`);
        }
      }
      if (Array.isArray(customTags)) {
        for (const tag of customTags)
          tags = tags.concat(tag);
      } else if (typeof customTags === "function") {
        tags = customTags(tags.slice());
      }
      if (addMergeTag)
        tags = tags.concat(merge.merge);
      return tags.reduce((tags2, tag) => {
        const tagObj = typeof tag === "string" ? tagsByName[tag] : tag;
        if (!tagObj) {
          const tagName = JSON.stringify(tag);
          const keys = Object.keys(tagsByName).map((key) => JSON.stringify(key)).join(", ");
          throw new Error(`Unknown custom tag ${tagName}; use one of ${keys}`);
        }
        if (!tags2.includes(tagObj))
          tags2.push(tagObj);
        return tags2;
      }, []);
    }
    exports.coreKnownTags = coreKnownTags;
    exports.getTags = getTags;
  }
});

// node_modules/yaml/dist/schema/Schema.js
var require_Schema = __commonJS({
  "node_modules/yaml/dist/schema/Schema.js"(exports) {
    "use strict";
    var identity = require_identity();
    var map = require_map();
    var seq = require_seq();
    var string = require_string();
    var tags = require_tags();
    var sortMapEntriesByKey = (a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    var Schema = class _Schema {
      constructor({ compat, customTags, merge, resolveKnownTags, schema, sortMapEntries, toStringDefaults }) {
        this.compat = Array.isArray(compat) ? tags.getTags(compat, "compat") : compat ? tags.getTags(null, compat) : null;
        this.name = typeof schema === "string" && schema || "core";
        this.knownTags = resolveKnownTags ? tags.coreKnownTags : {};
        this.tags = tags.getTags(customTags, this.name, merge);
        this.toStringOptions = toStringDefaults ?? null;
        Object.defineProperty(this, identity.MAP, { value: map.map });
        Object.defineProperty(this, identity.SCALAR, { value: string.string });
        Object.defineProperty(this, identity.SEQ, { value: seq.seq });
        this.sortMapEntries = typeof sortMapEntries === "function" ? sortMapEntries : sortMapEntries === true ? sortMapEntriesByKey : null;
      }
      clone() {
        const copy = Object.create(_Schema.prototype, Object.getOwnPropertyDescriptors(this));
        copy.tags = this.tags.slice();
        return copy;
      }
    };
    exports.Schema = Schema;
  }
});

// node_modules/yaml/dist/stringify/stringifyDocument.js
var require_stringifyDocument = __commonJS({
  "node_modules/yaml/dist/stringify/stringifyDocument.js"(exports) {
    "use strict";
    var identity = require_identity();
    var stringify = require_stringify();
    var stringifyComment = require_stringifyComment();
    function stringifyDocument(doc, options) {
      const lines = [];
      let hasDirectives = options.directives === true;
      if (options.directives !== false && doc.directives) {
        const dir = doc.directives.toString(doc);
        if (dir) {
          lines.push(dir);
          hasDirectives = true;
        } else if (doc.directives.docStart)
          hasDirectives = true;
      }
      if (hasDirectives)
        lines.push("---");
      const ctx = stringify.createStringifyContext(doc, options);
      const { commentString } = ctx.options;
      if (doc.commentBefore) {
        if (lines.length !== 1)
          lines.unshift("");
        const cs = commentString(doc.commentBefore);
        lines.unshift(stringifyComment.indentComment(cs, ""));
      }
      let chompKeep = false;
      let contentComment = null;
      if (doc.contents) {
        if (identity.isNode(doc.contents)) {
          if (doc.contents.spaceBefore && hasDirectives)
            lines.push("");
          if (doc.contents.commentBefore) {
            const cs = commentString(doc.contents.commentBefore);
            lines.push(stringifyComment.indentComment(cs, ""));
          }
          ctx.forceBlockIndent = !!doc.comment;
          contentComment = doc.contents.comment;
        }
        const onChompKeep = contentComment ? void 0 : () => chompKeep = true;
        let body = stringify.stringify(doc.contents, ctx, () => contentComment = null, onChompKeep);
        if (contentComment)
          body += stringifyComment.lineComment(body, "", commentString(contentComment));
        if ((body[0] === "|" || body[0] === ">") && lines[lines.length - 1] === "---") {
          lines[lines.length - 1] = `--- ${body}`;
        } else
          lines.push(body);
      } else {
        lines.push(stringify.stringify(doc.contents, ctx));
      }
      if (doc.directives?.docEnd) {
        if (doc.comment) {
          const cs = commentString(doc.comment);
          if (cs.includes("\n")) {
            lines.push("...");
            lines.push(stringifyComment.indentComment(cs, ""));
          } else {
            lines.push(`... ${cs}`);
          }
        } else {
          lines.push("...");
        }
      } else {
        let dc = doc.comment;
        if (dc && chompKeep)
          dc = dc.replace(/^\n+/, "");
        if (dc) {
          if ((!chompKeep || contentComment) && lines[lines.length - 1] !== "")
            lines.push("");
          lines.push(stringifyComment.indentComment(commentString(dc), ""));
        }
      }
      return lines.join("\n") + "\n";
    }
    exports.stringifyDocument = stringifyDocument;
  }
});

// node_modules/yaml/dist/doc/Document.js
var require_Document = __commonJS({
  "node_modules/yaml/dist/doc/Document.js"(exports) {
    "use strict";
    var Alias = require_Alias();
    var Collection = require_Collection();
    var identity = require_identity();
    var Pair = require_Pair();
    var toJS = require_toJS();
    var Schema = require_Schema();
    var stringifyDocument = require_stringifyDocument();
    var anchors = require_anchors();
    var applyReviver = require_applyReviver();
    var createNode = require_createNode();
    var directives = require_directives();
    var Document = class _Document {
      constructor(value, replacer, options) {
        this.commentBefore = null;
        this.comment = null;
        this.errors = [];
        this.warnings = [];
        Object.defineProperty(this, identity.NODE_TYPE, { value: identity.DOC });
        let _replacer = null;
        if (typeof replacer === "function" || Array.isArray(replacer)) {
          _replacer = replacer;
        } else if (options === void 0 && replacer) {
          options = replacer;
          replacer = void 0;
        }
        const opt = Object.assign({
          intAsBigInt: false,
          keepSourceTokens: false,
          logLevel: "warn",
          prettyErrors: true,
          strict: true,
          stringKeys: false,
          uniqueKeys: true,
          version: "1.2"
        }, options);
        this.options = opt;
        let { version } = opt;
        if (options?._directives) {
          this.directives = options._directives.atDocument();
          if (this.directives.yaml.explicit)
            version = this.directives.yaml.version;
        } else
          this.directives = new directives.Directives({ version });
        this.setSchema(version, options);
        this.contents = value === void 0 ? null : this.createNode(value, _replacer, options);
      }
      /**
       * Create a deep copy of this Document and its contents.
       *
       * Custom Node values that inherit from `Object` still refer to their original instances.
       */
      clone() {
        const copy = Object.create(_Document.prototype, {
          [identity.NODE_TYPE]: { value: identity.DOC }
        });
        copy.commentBefore = this.commentBefore;
        copy.comment = this.comment;
        copy.errors = this.errors.slice();
        copy.warnings = this.warnings.slice();
        copy.options = Object.assign({}, this.options);
        if (this.directives)
          copy.directives = this.directives.clone();
        copy.schema = this.schema.clone();
        copy.contents = identity.isNode(this.contents) ? this.contents.clone(copy.schema) : this.contents;
        if (this.range)
          copy.range = this.range.slice();
        return copy;
      }
      /** Adds a value to the document. */
      add(value) {
        if (assertCollection(this.contents))
          this.contents.add(value);
      }
      /** Adds a value to the document. */
      addIn(path2, value) {
        if (assertCollection(this.contents))
          this.contents.addIn(path2, value);
      }
      /**
       * Create a new `Alias` node, ensuring that the target `node` has the required anchor.
       *
       * If `node` already has an anchor, `name` is ignored.
       * Otherwise, the `node.anchor` value will be set to `name`,
       * or if an anchor with that name is already present in the document,
       * `name` will be used as a prefix for a new unique anchor.
       * If `name` is undefined, the generated anchor will use 'a' as a prefix.
       */
      createAlias(node, name) {
        if (!node.anchor) {
          const prev = anchors.anchorNames(this);
          node.anchor = // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
          !name || prev.has(name) ? anchors.findNewAnchor(name || "a", prev) : name;
        }
        return new Alias.Alias(node.anchor);
      }
      createNode(value, replacer, options) {
        let _replacer = void 0;
        if (typeof replacer === "function") {
          value = replacer.call({ "": value }, "", value);
          _replacer = replacer;
        } else if (Array.isArray(replacer)) {
          const keyToStr = (v) => typeof v === "number" || v instanceof String || v instanceof Number;
          const asStr = replacer.filter(keyToStr).map(String);
          if (asStr.length > 0)
            replacer = replacer.concat(asStr);
          _replacer = replacer;
        } else if (options === void 0 && replacer) {
          options = replacer;
          replacer = void 0;
        }
        const { aliasDuplicateObjects, anchorPrefix, flow, keepUndefined, onTagObj, tag } = options ?? {};
        const { onAnchor, setAnchors, sourceObjects } = anchors.createNodeAnchors(
          this,
          // eslint-disable-next-line @typescript-eslint/prefer-nullish-coalescing
          anchorPrefix || "a"
        );
        const ctx = {
          aliasDuplicateObjects: aliasDuplicateObjects ?? true,
          keepUndefined: keepUndefined ?? false,
          onAnchor,
          onTagObj,
          replacer: _replacer,
          schema: this.schema,
          sourceObjects
        };
        const node = createNode.createNode(value, tag, ctx);
        if (flow && identity.isCollection(node))
          node.flow = true;
        setAnchors();
        return node;
      }
      /**
       * Convert a key and a value into a `Pair` using the current schema,
       * recursively wrapping all values as `Scalar` or `Collection` nodes.
       */
      createPair(key, value, options = {}) {
        const k = this.createNode(key, null, options);
        const v = this.createNode(value, null, options);
        return new Pair.Pair(k, v);
      }
      /**
       * Removes a value from the document.
       * @returns `true` if the item was found and removed.
       */
      delete(key) {
        return assertCollection(this.contents) ? this.contents.delete(key) : false;
      }
      /**
       * Removes a value from the document.
       * @returns `true` if the item was found and removed.
       */
      deleteIn(path2) {
        if (Collection.isEmptyPath(path2)) {
          if (this.contents == null)
            return false;
          this.contents = null;
          return true;
        }
        return assertCollection(this.contents) ? this.contents.deleteIn(path2) : false;
      }
      /**
       * Returns item at `key`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      get(key, keepScalar) {
        return identity.isCollection(this.contents) ? this.contents.get(key, keepScalar) : void 0;
      }
      /**
       * Returns item at `path`, or `undefined` if not found. By default unwraps
       * scalar values from their surrounding node; to disable set `keepScalar` to
       * `true` (collections are always returned intact).
       */
      getIn(path2, keepScalar) {
        if (Collection.isEmptyPath(path2))
          return !keepScalar && identity.isScalar(this.contents) ? this.contents.value : this.contents;
        return identity.isCollection(this.contents) ? this.contents.getIn(path2, keepScalar) : void 0;
      }
      /**
       * Checks if the document includes a value with the key `key`.
       */
      has(key) {
        return identity.isCollection(this.contents) ? this.contents.has(key) : false;
      }
      /**
       * Checks if the document includes a value at `path`.
       */
      hasIn(path2) {
        if (Collection.isEmptyPath(path2))
          return this.contents !== void 0;
        return identity.isCollection(this.contents) ? this.contents.hasIn(path2) : false;
      }
      /**
       * Sets a value in this document. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      set(key, value) {
        if (this.contents == null) {
          this.contents = Collection.collectionFromPath(this.schema, [key], value);
        } else if (assertCollection(this.contents)) {
          this.contents.set(key, value);
        }
      }
      /**
       * Sets a value in this document. For `!!set`, `value` needs to be a
       * boolean to add/remove the item from the set.
       */
      setIn(path2, value) {
        if (Collection.isEmptyPath(path2)) {
          this.contents = value;
        } else if (this.contents == null) {
          this.contents = Collection.collectionFromPath(this.schema, Array.from(path2), value);
        } else if (assertCollection(this.contents)) {
          this.contents.setIn(path2, value);
        }
      }
      /**
       * Change the YAML version and schema used by the document.
       * A `null` version disables support for directives, explicit tags, anchors, and aliases.
       * It also requires the `schema` option to be given as a `Schema` instance value.
       *
       * Overrides all previously set schema options.
       */
      setSchema(version, options = {}) {
        if (typeof version === "number")
          version = String(version);
        let opt;
        switch (version) {
          case "1.1":
            if (this.directives)
              this.directives.yaml.version = "1.1";
            else
              this.directives = new directives.Directives({ version: "1.1" });
            opt = { resolveKnownTags: false, schema: "yaml-1.1" };
            break;
          case "1.2":
          case "next":
            if (this.directives)
              this.directives.yaml.version = version;
            else
              this.directives = new directives.Directives({ version });
            opt = { resolveKnownTags: true, schema: "core" };
            break;
          case null:
            if (this.directives)
              delete this.directives;
            opt = null;
            break;
          default: {
            const sv = JSON.stringify(version);
            throw new Error(`Expected '1.1', '1.2' or null as first argument, but found: ${sv}`);
          }
        }
        if (options.schema instanceof Object)
          this.schema = options.schema;
        else if (opt)
          this.schema = new Schema.Schema(Object.assign(opt, options));
        else
          throw new Error(`With a null YAML version, the { schema: Schema } option is required`);
      }
      // json & jsonArg are only used from toJSON()
      toJS({ json, jsonArg, mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
        const ctx = {
          anchors: /* @__PURE__ */ new Map(),
          doc: this,
          keep: !json,
          mapAsMap: mapAsMap === true,
          mapKeyWarned: false,
          maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
        };
        const res = toJS.toJS(this.contents, jsonArg ?? "", ctx);
        if (typeof onAnchor === "function")
          for (const { count: count2, res: res2 } of ctx.anchors.values())
            onAnchor(res2, count2);
        return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
      }
      /**
       * A JSON representation of the document `contents`.
       *
       * @param jsonArg Used by `JSON.stringify` to indicate the array index or
       *   property name.
       */
      toJSON(jsonArg, onAnchor) {
        return this.toJS({ json: true, jsonArg, mapAsMap: false, onAnchor });
      }
      /** A YAML representation of the document. */
      toString(options = {}) {
        if (this.errors.length > 0)
          throw new Error("Document with errors cannot be stringified");
        if ("indent" in options && (!Number.isInteger(options.indent) || Number(options.indent) <= 0)) {
          const s = JSON.stringify(options.indent);
          throw new Error(`"indent" option must be a positive integer, not ${s}`);
        }
        return stringifyDocument.stringifyDocument(this, options);
      }
    };
    function assertCollection(contents) {
      if (identity.isCollection(contents))
        return true;
      throw new Error("Expected a YAML collection as document contents");
    }
    exports.Document = Document;
  }
});

// node_modules/yaml/dist/errors.js
var require_errors = __commonJS({
  "node_modules/yaml/dist/errors.js"(exports) {
    "use strict";
    var YAMLError = class extends Error {
      constructor(name, pos, code, message) {
        super();
        this.name = name;
        this.code = code;
        this.message = message;
        this.pos = pos;
      }
    };
    var YAMLParseError = class extends YAMLError {
      constructor(pos, code, message) {
        super("YAMLParseError", pos, code, message);
      }
    };
    var YAMLWarning = class extends YAMLError {
      constructor(pos, code, message) {
        super("YAMLWarning", pos, code, message);
      }
    };
    var prettifyError = (src, lc) => (error) => {
      if (error.pos[0] === -1)
        return;
      error.linePos = error.pos.map((pos) => lc.linePos(pos));
      const { line, col } = error.linePos[0];
      error.message += ` at line ${line}, column ${col}`;
      let ci = col - 1;
      let lineStr = src.substring(lc.lineStarts[line - 1], lc.lineStarts[line]).replace(/[\n\r]+$/, "");
      if (ci >= 60 && lineStr.length > 80) {
        const trimStart = Math.min(ci - 39, lineStr.length - 79);
        lineStr = "\u2026" + lineStr.substring(trimStart);
        ci -= trimStart - 1;
      }
      if (lineStr.length > 80)
        lineStr = lineStr.substring(0, 79) + "\u2026";
      if (line > 1 && /^ *$/.test(lineStr.substring(0, ci))) {
        let prev = src.substring(lc.lineStarts[line - 2], lc.lineStarts[line - 1]);
        if (prev.length > 80)
          prev = prev.substring(0, 79) + "\u2026\n";
        lineStr = prev + lineStr;
      }
      if (/[^ ]/.test(lineStr)) {
        let count2 = 1;
        const end2 = error.linePos[1];
        if (end2?.line === line && end2.col > col) {
          count2 = Math.max(1, Math.min(end2.col - col, 80 - ci));
        }
        const pointer = " ".repeat(ci) + "^".repeat(count2);
        error.message += `:

${lineStr}
${pointer}
`;
      }
    };
    exports.YAMLError = YAMLError;
    exports.YAMLParseError = YAMLParseError;
    exports.YAMLWarning = YAMLWarning;
    exports.prettifyError = prettifyError;
  }
});

// node_modules/yaml/dist/compose/resolve-props.js
var require_resolve_props = __commonJS({
  "node_modules/yaml/dist/compose/resolve-props.js"(exports) {
    "use strict";
    function resolveProps(tokens, { flow, indicator, next, offset, onError, parentIndent, startOnNewline }) {
      let spaceBefore = false;
      let atNewline = startOnNewline;
      let hasSpace = startOnNewline;
      let comment = "";
      let commentSep = "";
      let hasNewline = false;
      let reqSpace = false;
      let tab = null;
      let anchor = null;
      let tag = null;
      let newlineAfterProp = null;
      let comma = null;
      let found = null;
      let start = null;
      for (const token of tokens) {
        if (reqSpace) {
          if (token.type !== "space" && token.type !== "newline" && token.type !== "comma")
            onError(token.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
          reqSpace = false;
        }
        if (tab) {
          if (atNewline && token.type !== "comment" && token.type !== "newline") {
            onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
          }
          tab = null;
        }
        switch (token.type) {
          case "space":
            if (!flow && (indicator !== "doc-start" || next?.type !== "flow-collection") && token.source.includes("	")) {
              tab = token;
            }
            hasSpace = true;
            break;
          case "comment": {
            if (!hasSpace)
              onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
            const cb = token.source.substring(1) || " ";
            if (!comment)
              comment = cb;
            else
              comment += commentSep + cb;
            commentSep = "";
            atNewline = false;
            break;
          }
          case "newline":
            if (atNewline) {
              if (comment)
                comment += token.source;
              else if (!found || indicator !== "seq-item-ind")
                spaceBefore = true;
            } else
              commentSep += token.source;
            atNewline = true;
            hasNewline = true;
            if (anchor || tag)
              newlineAfterProp = token;
            hasSpace = true;
            break;
          case "anchor":
            if (anchor)
              onError(token, "MULTIPLE_ANCHORS", "A node can have at most one anchor");
            if (token.source.endsWith(":"))
              onError(token.offset + token.source.length - 1, "BAD_ALIAS", "Anchor ending in : is ambiguous", true);
            anchor = token;
            start ?? (start = token.offset);
            atNewline = false;
            hasSpace = false;
            reqSpace = true;
            break;
          case "tag": {
            if (tag)
              onError(token, "MULTIPLE_TAGS", "A node can have at most one tag");
            tag = token;
            start ?? (start = token.offset);
            atNewline = false;
            hasSpace = false;
            reqSpace = true;
            break;
          }
          case indicator:
            if (anchor || tag)
              onError(token, "BAD_PROP_ORDER", `Anchors and tags must be after the ${token.source} indicator`);
            if (found)
              onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.source} in ${flow ?? "collection"}`);
            found = token;
            atNewline = indicator === "seq-item-ind" || indicator === "explicit-key-ind";
            hasSpace = false;
            break;
          case "comma":
            if (flow) {
              if (comma)
                onError(token, "UNEXPECTED_TOKEN", `Unexpected , in ${flow}`);
              comma = token;
              atNewline = false;
              hasSpace = false;
              break;
            }
          // else fallthrough
          default:
            onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.type} token`);
            atNewline = false;
            hasSpace = false;
        }
      }
      const last = tokens[tokens.length - 1];
      const end2 = last ? last.offset + last.source.length : offset;
      if (reqSpace && next && next.type !== "space" && next.type !== "newline" && next.type !== "comma" && (next.type !== "scalar" || next.source !== "")) {
        onError(next.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
      }
      if (tab && (atNewline && tab.indent <= parentIndent || next?.type === "block-map" || next?.type === "block-seq"))
        onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
      return {
        comma,
        found,
        spaceBefore,
        comment,
        hasNewline,
        anchor,
        tag,
        newlineAfterProp,
        end: end2,
        start: start ?? end2
      };
    }
    exports.resolveProps = resolveProps;
  }
});

// node_modules/yaml/dist/compose/util-contains-newline.js
var require_util_contains_newline = __commonJS({
  "node_modules/yaml/dist/compose/util-contains-newline.js"(exports) {
    "use strict";
    function containsNewline(key) {
      if (!key)
        return null;
      switch (key.type) {
        case "alias":
        case "scalar":
        case "double-quoted-scalar":
        case "single-quoted-scalar":
          if (key.source.includes("\n"))
            return true;
          if (key.end) {
            for (const st of key.end)
              if (st.type === "newline")
                return true;
          }
          return false;
        case "flow-collection":
          for (const it of key.items) {
            for (const st of it.start)
              if (st.type === "newline")
                return true;
            if (it.sep) {
              for (const st of it.sep)
                if (st.type === "newline")
                  return true;
            }
            if (containsNewline(it.key) || containsNewline(it.value))
              return true;
          }
          return false;
        default:
          return true;
      }
    }
    exports.containsNewline = containsNewline;
  }
});

// node_modules/yaml/dist/compose/util-flow-indent-check.js
var require_util_flow_indent_check = __commonJS({
  "node_modules/yaml/dist/compose/util-flow-indent-check.js"(exports) {
    "use strict";
    var utilContainsNewline = require_util_contains_newline();
    function flowIndentCheck(indent, fc, onError) {
      if (fc?.type === "flow-collection") {
        const end2 = fc.end[0];
        if (end2.indent === indent && (end2.source === "]" || end2.source === "}") && utilContainsNewline.containsNewline(fc)) {
          const msg = "Flow end indicator should be more indented than parent";
          onError(end2, "BAD_INDENT", msg, true);
        }
      }
    }
    exports.flowIndentCheck = flowIndentCheck;
  }
});

// node_modules/yaml/dist/compose/util-map-includes.js
var require_util_map_includes = __commonJS({
  "node_modules/yaml/dist/compose/util-map-includes.js"(exports) {
    "use strict";
    var identity = require_identity();
    function mapIncludes(ctx, items, search) {
      const { uniqueKeys } = ctx.options;
      if (uniqueKeys === false)
        return false;
      const isEqual = typeof uniqueKeys === "function" ? uniqueKeys : (a, b) => a === b || identity.isScalar(a) && identity.isScalar(b) && a.value === b.value;
      return items.some((pair) => isEqual(pair.key, search));
    }
    exports.mapIncludes = mapIncludes;
  }
});

// node_modules/yaml/dist/compose/resolve-block-map.js
var require_resolve_block_map = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-map.js"(exports) {
    "use strict";
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var resolveProps = require_resolve_props();
    var utilContainsNewline = require_util_contains_newline();
    var utilFlowIndentCheck = require_util_flow_indent_check();
    var utilMapIncludes = require_util_map_includes();
    var startColMsg = "All mapping items must start at the same column";
    function resolveBlockMap({ composeNode, composeEmptyNode }, ctx, bm, onError, tag) {
      const NodeClass = tag?.nodeClass ?? YAMLMap.YAMLMap;
      const map = new NodeClass(ctx.schema);
      if (ctx.atRoot)
        ctx.atRoot = false;
      let offset = bm.offset;
      let commentEnd = null;
      for (const collItem of bm.items) {
        const { start, key, sep, value } = collItem;
        const keyProps = resolveProps.resolveProps(start, {
          indicator: "explicit-key-ind",
          next: key ?? sep?.[0],
          offset,
          onError,
          parentIndent: bm.indent,
          startOnNewline: true
        });
        const implicitKey = !keyProps.found;
        if (implicitKey) {
          if (key) {
            if (key.type === "block-seq")
              onError(offset, "BLOCK_AS_IMPLICIT_KEY", "A block sequence may not be used as an implicit map key");
            else if ("indent" in key && key.indent !== bm.indent)
              onError(offset, "BAD_INDENT", startColMsg);
          }
          if (!keyProps.anchor && !keyProps.tag && !sep) {
            commentEnd = keyProps.end;
            if (keyProps.comment) {
              if (map.comment)
                map.comment += "\n" + keyProps.comment;
              else
                map.comment = keyProps.comment;
            }
            continue;
          }
          if (keyProps.newlineAfterProp || utilContainsNewline.containsNewline(key)) {
            onError(key ?? start[start.length - 1], "MULTILINE_IMPLICIT_KEY", "Implicit keys need to be on a single line");
          }
        } else if (keyProps.found?.indent !== bm.indent) {
          onError(offset, "BAD_INDENT", startColMsg);
        }
        ctx.atKey = true;
        const keyStart = keyProps.end;
        const keyNode = key ? composeNode(ctx, key, keyProps, onError) : composeEmptyNode(ctx, keyStart, start, null, keyProps, onError);
        if (ctx.schema.compat)
          utilFlowIndentCheck.flowIndentCheck(bm.indent, key, onError);
        ctx.atKey = false;
        if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode))
          onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
        const valueProps = resolveProps.resolveProps(sep ?? [], {
          indicator: "map-value-ind",
          next: value,
          offset: keyNode.range[2],
          onError,
          parentIndent: bm.indent,
          startOnNewline: !key || key.type === "block-scalar"
        });
        offset = valueProps.end;
        if (valueProps.found) {
          if (implicitKey) {
            if (value?.type === "block-map" && !valueProps.hasNewline)
              onError(offset, "BLOCK_AS_IMPLICIT_KEY", "Nested mappings are not allowed in compact mappings");
            if (ctx.options.strict && keyProps.start < valueProps.found.offset - 1024)
              onError(keyNode.range, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit block mapping key");
          }
          const valueNode = value ? composeNode(ctx, value, valueProps, onError) : composeEmptyNode(ctx, offset, sep, null, valueProps, onError);
          if (ctx.schema.compat)
            utilFlowIndentCheck.flowIndentCheck(bm.indent, value, onError);
          offset = valueNode.range[2];
          const pair = new Pair.Pair(keyNode, valueNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          map.items.push(pair);
        } else {
          if (implicitKey)
            onError(keyNode.range, "MISSING_CHAR", "Implicit map keys need to be followed by map values");
          if (valueProps.comment) {
            if (keyNode.comment)
              keyNode.comment += "\n" + valueProps.comment;
            else
              keyNode.comment = valueProps.comment;
          }
          const pair = new Pair.Pair(keyNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          map.items.push(pair);
        }
      }
      if (commentEnd && commentEnd < offset)
        onError(commentEnd, "IMPOSSIBLE", "Map comment with trailing content");
      map.range = [bm.offset, offset, commentEnd ?? offset];
      return map;
    }
    exports.resolveBlockMap = resolveBlockMap;
  }
});

// node_modules/yaml/dist/compose/resolve-block-seq.js
var require_resolve_block_seq = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-seq.js"(exports) {
    "use strict";
    var YAMLSeq = require_YAMLSeq();
    var resolveProps = require_resolve_props();
    var utilFlowIndentCheck = require_util_flow_indent_check();
    function resolveBlockSeq({ composeNode, composeEmptyNode }, ctx, bs, onError, tag) {
      const NodeClass = tag?.nodeClass ?? YAMLSeq.YAMLSeq;
      const seq = new NodeClass(ctx.schema);
      if (ctx.atRoot)
        ctx.atRoot = false;
      if (ctx.atKey)
        ctx.atKey = false;
      let offset = bs.offset;
      let commentEnd = null;
      for (const { start, value } of bs.items) {
        const props = resolveProps.resolveProps(start, {
          indicator: "seq-item-ind",
          next: value,
          offset,
          onError,
          parentIndent: bs.indent,
          startOnNewline: true
        });
        if (!props.found) {
          if (props.anchor || props.tag || value) {
            if (value?.type === "block-seq")
              onError(props.end, "BAD_INDENT", "All sequence items must start at the same column");
            else
              onError(offset, "MISSING_CHAR", "Sequence item without - indicator");
          } else {
            commentEnd = props.end;
            if (props.comment)
              seq.comment = props.comment;
            continue;
          }
        }
        const node = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, start, null, props, onError);
        if (ctx.schema.compat)
          utilFlowIndentCheck.flowIndentCheck(bs.indent, value, onError);
        offset = node.range[2];
        seq.items.push(node);
      }
      seq.range = [bs.offset, offset, commentEnd ?? offset];
      return seq;
    }
    exports.resolveBlockSeq = resolveBlockSeq;
  }
});

// node_modules/yaml/dist/compose/resolve-end.js
var require_resolve_end = __commonJS({
  "node_modules/yaml/dist/compose/resolve-end.js"(exports) {
    "use strict";
    function resolveEnd(end2, offset, reqSpace, onError) {
      let comment = "";
      if (end2) {
        let hasSpace = false;
        let sep = "";
        for (const token of end2) {
          const { source, type } = token;
          switch (type) {
            case "space":
              hasSpace = true;
              break;
            case "comment": {
              if (reqSpace && !hasSpace)
                onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
              const cb = source.substring(1) || " ";
              if (!comment)
                comment = cb;
              else
                comment += sep + cb;
              sep = "";
              break;
            }
            case "newline":
              if (comment)
                sep += source;
              hasSpace = true;
              break;
            default:
              onError(token, "UNEXPECTED_TOKEN", `Unexpected ${type} at node end`);
          }
          offset += source.length;
        }
      }
      return { comment, offset };
    }
    exports.resolveEnd = resolveEnd;
  }
});

// node_modules/yaml/dist/compose/resolve-flow-collection.js
var require_resolve_flow_collection = __commonJS({
  "node_modules/yaml/dist/compose/resolve-flow-collection.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Pair = require_Pair();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var resolveEnd = require_resolve_end();
    var resolveProps = require_resolve_props();
    var utilContainsNewline = require_util_contains_newline();
    var utilMapIncludes = require_util_map_includes();
    var blockMsg = "Block collections are not allowed within flow collections";
    var isBlock = (token) => token && (token.type === "block-map" || token.type === "block-seq");
    function resolveFlowCollection({ composeNode, composeEmptyNode }, ctx, fc, onError, tag) {
      const isMap3 = fc.start.source === "{";
      const fcName = isMap3 ? "flow map" : "flow sequence";
      const NodeClass = tag?.nodeClass ?? (isMap3 ? YAMLMap.YAMLMap : YAMLSeq.YAMLSeq);
      const coll = new NodeClass(ctx.schema);
      coll.flow = true;
      const atRoot = ctx.atRoot;
      if (atRoot)
        ctx.atRoot = false;
      if (ctx.atKey)
        ctx.atKey = false;
      let offset = fc.offset + fc.start.source.length;
      for (let i = 0; i < fc.items.length; ++i) {
        const collItem = fc.items[i];
        const { start, key, sep, value } = collItem;
        const props = resolveProps.resolveProps(start, {
          flow: fcName,
          indicator: "explicit-key-ind",
          next: key ?? sep?.[0],
          offset,
          onError,
          parentIndent: fc.indent,
          startOnNewline: false
        });
        if (!props.found) {
          if (!props.anchor && !props.tag && !sep && !value) {
            if (i === 0 && props.comma)
              onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
            else if (i < fc.items.length - 1)
              onError(props.start, "UNEXPECTED_TOKEN", `Unexpected empty item in ${fcName}`);
            if (props.comment) {
              if (coll.comment)
                coll.comment += "\n" + props.comment;
              else
                coll.comment = props.comment;
            }
            offset = props.end;
            continue;
          }
          if (!isMap3 && ctx.options.strict && utilContainsNewline.containsNewline(key))
            onError(
              key,
              // checked by containsNewline()
              "MULTILINE_IMPLICIT_KEY",
              "Implicit keys of flow sequence pairs need to be on a single line"
            );
        }
        if (i === 0) {
          if (props.comma)
            onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
        } else {
          if (!props.comma)
            onError(props.start, "MISSING_CHAR", `Missing , between ${fcName} items`);
          if (props.comment) {
            let prevItemComment = "";
            loop: for (const st of start) {
              switch (st.type) {
                case "comma":
                case "space":
                  break;
                case "comment":
                  prevItemComment = st.source.substring(1);
                  break loop;
                default:
                  break loop;
              }
            }
            if (prevItemComment) {
              let prev = coll.items[coll.items.length - 1];
              if (identity.isPair(prev))
                prev = prev.value ?? prev.key;
              if (prev.comment)
                prev.comment += "\n" + prevItemComment;
              else
                prev.comment = prevItemComment;
              props.comment = props.comment.substring(prevItemComment.length + 1);
            }
          }
        }
        if (!isMap3 && !sep && !props.found) {
          const valueNode = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, sep, null, props, onError);
          coll.items.push(valueNode);
          offset = valueNode.range[2];
          if (isBlock(value))
            onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
        } else {
          ctx.atKey = true;
          const keyStart = props.end;
          const keyNode = key ? composeNode(ctx, key, props, onError) : composeEmptyNode(ctx, keyStart, start, null, props, onError);
          if (isBlock(key))
            onError(keyNode.range, "BLOCK_IN_FLOW", blockMsg);
          ctx.atKey = false;
          const valueProps = resolveProps.resolveProps(sep ?? [], {
            flow: fcName,
            indicator: "map-value-ind",
            next: value,
            offset: keyNode.range[2],
            onError,
            parentIndent: fc.indent,
            startOnNewline: false
          });
          if (valueProps.found) {
            if (!isMap3 && !props.found && ctx.options.strict) {
              if (sep)
                for (const st of sep) {
                  if (st === valueProps.found)
                    break;
                  if (st.type === "newline") {
                    onError(st, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
                    break;
                  }
                }
              if (props.start < valueProps.found.offset - 1024)
                onError(valueProps.found, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit flow sequence key");
            }
          } else if (value) {
            if ("source" in value && value.source?.[0] === ":")
              onError(value, "MISSING_CHAR", `Missing space after : in ${fcName}`);
            else
              onError(valueProps.start, "MISSING_CHAR", `Missing , or : between ${fcName} items`);
          }
          const valueNode = value ? composeNode(ctx, value, valueProps, onError) : valueProps.found ? composeEmptyNode(ctx, valueProps.end, sep, null, valueProps, onError) : null;
          if (valueNode) {
            if (isBlock(value))
              onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
          } else if (valueProps.comment) {
            if (keyNode.comment)
              keyNode.comment += "\n" + valueProps.comment;
            else
              keyNode.comment = valueProps.comment;
          }
          const pair = new Pair.Pair(keyNode, valueNode);
          if (ctx.options.keepSourceTokens)
            pair.srcToken = collItem;
          if (isMap3) {
            const map = coll;
            if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode))
              onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
            map.items.push(pair);
          } else {
            const map = new YAMLMap.YAMLMap(ctx.schema);
            map.flow = true;
            map.items.push(pair);
            const endRange = (valueNode ?? keyNode).range;
            map.range = [keyNode.range[0], endRange[1], endRange[2]];
            coll.items.push(map);
          }
          offset = valueNode ? valueNode.range[2] : valueProps.end;
        }
      }
      const expectedEnd = isMap3 ? "}" : "]";
      const [ce, ...ee] = fc.end;
      let cePos = offset;
      if (ce?.source === expectedEnd)
        cePos = ce.offset + ce.source.length;
      else {
        const name = fcName[0].toUpperCase() + fcName.substring(1);
        const msg = atRoot ? `${name} must end with a ${expectedEnd}` : `${name} in block collection must be sufficiently indented and end with a ${expectedEnd}`;
        onError(offset, atRoot ? "MISSING_CHAR" : "BAD_INDENT", msg);
        if (ce && ce.source.length !== 1)
          ee.unshift(ce);
      }
      if (ee.length > 0) {
        const end2 = resolveEnd.resolveEnd(ee, cePos, ctx.options.strict, onError);
        if (end2.comment) {
          if (coll.comment)
            coll.comment += "\n" + end2.comment;
          else
            coll.comment = end2.comment;
        }
        coll.range = [fc.offset, cePos, end2.offset];
      } else {
        coll.range = [fc.offset, cePos, cePos];
      }
      return coll;
    }
    exports.resolveFlowCollection = resolveFlowCollection;
  }
});

// node_modules/yaml/dist/compose/compose-collection.js
var require_compose_collection = __commonJS({
  "node_modules/yaml/dist/compose/compose-collection.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var resolveBlockMap = require_resolve_block_map();
    var resolveBlockSeq = require_resolve_block_seq();
    var resolveFlowCollection = require_resolve_flow_collection();
    function resolveCollection(CN, ctx, token, onError, tagName, tag) {
      const coll = token.type === "block-map" ? resolveBlockMap.resolveBlockMap(CN, ctx, token, onError, tag) : token.type === "block-seq" ? resolveBlockSeq.resolveBlockSeq(CN, ctx, token, onError, tag) : resolveFlowCollection.resolveFlowCollection(CN, ctx, token, onError, tag);
      const Coll = coll.constructor;
      if (tagName === "!" || tagName === Coll.tagName) {
        coll.tag = Coll.tagName;
        return coll;
      }
      if (tagName)
        coll.tag = tagName;
      return coll;
    }
    function composeCollection(CN, ctx, token, props, onError) {
      const tagToken = props.tag;
      const tagName = !tagToken ? null : ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg));
      if (token.type === "block-seq") {
        const { anchor, newlineAfterProp: nl } = props;
        const lastProp = anchor && tagToken ? anchor.offset > tagToken.offset ? anchor : tagToken : anchor ?? tagToken;
        if (lastProp && (!nl || nl.offset < lastProp.offset)) {
          const message = "Missing newline after block sequence props";
          onError(lastProp, "MISSING_CHAR", message);
        }
      }
      const expType = token.type === "block-map" ? "map" : token.type === "block-seq" ? "seq" : token.start.source === "{" ? "map" : "seq";
      if (!tagToken || !tagName || tagName === "!" || tagName === YAMLMap.YAMLMap.tagName && expType === "map" || tagName === YAMLSeq.YAMLSeq.tagName && expType === "seq") {
        return resolveCollection(CN, ctx, token, onError, tagName);
      }
      let tag = ctx.schema.tags.find((t) => t.tag === tagName && t.collection === expType);
      if (!tag) {
        const kt = ctx.schema.knownTags[tagName];
        if (kt?.collection === expType) {
          ctx.schema.tags.push(Object.assign({}, kt, { default: false }));
          tag = kt;
        } else {
          if (kt) {
            onError(tagToken, "BAD_COLLECTION_TYPE", `${kt.tag} used for ${expType} collection, but expects ${kt.collection ?? "scalar"}`, true);
          } else {
            onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, true);
          }
          return resolveCollection(CN, ctx, token, onError, tagName);
        }
      }
      const coll = resolveCollection(CN, ctx, token, onError, tagName, tag);
      const res = tag.resolve?.(coll, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg), ctx.options) ?? coll;
      const node = identity.isNode(res) ? res : new Scalar.Scalar(res);
      node.range = coll.range;
      node.tag = tagName;
      if (tag?.format)
        node.format = tag.format;
      return node;
    }
    exports.composeCollection = composeCollection;
  }
});

// node_modules/yaml/dist/compose/resolve-block-scalar.js
var require_resolve_block_scalar = __commonJS({
  "node_modules/yaml/dist/compose/resolve-block-scalar.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    function resolveBlockScalar(ctx, scalar, onError) {
      const start = scalar.offset;
      const header = parseBlockScalarHeader(scalar, ctx.options.strict, onError);
      if (!header)
        return { value: "", type: null, comment: "", range: [start, start, start] };
      const type = header.mode === ">" ? Scalar.Scalar.BLOCK_FOLDED : Scalar.Scalar.BLOCK_LITERAL;
      const lines = scalar.source ? splitLines(scalar.source) : [];
      let chompStart = lines.length;
      for (let i = lines.length - 1; i >= 0; --i) {
        const content = lines[i][1];
        if (content === "" || content === "\r")
          chompStart = i;
        else
          break;
      }
      if (chompStart === 0) {
        const value2 = header.chomp === "+" && lines.length > 0 ? "\n".repeat(Math.max(1, lines.length - 1)) : "";
        let end3 = start + header.length;
        if (scalar.source)
          end3 += scalar.source.length;
        return { value: value2, type, comment: header.comment, range: [start, end3, end3] };
      }
      let trimIndent = scalar.indent + header.indent;
      let offset = scalar.offset + header.length;
      let contentStart = 0;
      for (let i = 0; i < chompStart; ++i) {
        const [indent, content] = lines[i];
        if (content === "" || content === "\r") {
          if (header.indent === 0 && indent.length > trimIndent)
            trimIndent = indent.length;
        } else {
          if (indent.length < trimIndent) {
            const message = "Block scalars with more-indented leading empty lines must use an explicit indentation indicator";
            onError(offset + indent.length, "MISSING_CHAR", message);
          }
          if (header.indent === 0)
            trimIndent = indent.length;
          contentStart = i;
          if (trimIndent === 0 && !ctx.atRoot) {
            const message = "Block scalar values in collections must be indented";
            onError(offset, "BAD_INDENT", message);
          }
          break;
        }
        offset += indent.length + content.length + 1;
      }
      for (let i = lines.length - 1; i >= chompStart; --i) {
        if (lines[i][0].length > trimIndent)
          chompStart = i + 1;
      }
      let value = "";
      let sep = "";
      let prevMoreIndented = false;
      for (let i = 0; i < contentStart; ++i)
        value += lines[i][0].slice(trimIndent) + "\n";
      for (let i = contentStart; i < chompStart; ++i) {
        let [indent, content] = lines[i];
        offset += indent.length + content.length + 1;
        const crlf = content[content.length - 1] === "\r";
        if (crlf)
          content = content.slice(0, -1);
        if (content && indent.length < trimIndent) {
          const src = header.indent ? "explicit indentation indicator" : "first line";
          const message = `Block scalar lines must not be less indented than their ${src}`;
          onError(offset - content.length - (crlf ? 2 : 1), "BAD_INDENT", message);
          indent = "";
        }
        if (type === Scalar.Scalar.BLOCK_LITERAL) {
          value += sep + indent.slice(trimIndent) + content;
          sep = "\n";
        } else if (indent.length > trimIndent || content[0] === "	") {
          if (sep === " ")
            sep = "\n";
          else if (!prevMoreIndented && sep === "\n")
            sep = "\n\n";
          value += sep + indent.slice(trimIndent) + content;
          sep = "\n";
          prevMoreIndented = true;
        } else if (content === "") {
          if (sep === "\n")
            value += "\n";
          else
            sep = "\n";
        } else {
          value += sep + content;
          sep = " ";
          prevMoreIndented = false;
        }
      }
      switch (header.chomp) {
        case "-":
          break;
        case "+":
          for (let i = chompStart; i < lines.length; ++i)
            value += "\n" + lines[i][0].slice(trimIndent);
          if (value[value.length - 1] !== "\n")
            value += "\n";
          break;
        default:
          value += "\n";
      }
      const end2 = start + header.length + scalar.source.length;
      return { value, type, comment: header.comment, range: [start, end2, end2] };
    }
    function parseBlockScalarHeader({ offset, props }, strict, onError) {
      if (props[0].type !== "block-scalar-header") {
        onError(props[0], "IMPOSSIBLE", "Block scalar header not found");
        return null;
      }
      const { source } = props[0];
      const mode = source[0];
      let indent = 0;
      let chomp = "";
      let error = -1;
      for (let i = 1; i < source.length; ++i) {
        const ch = source[i];
        if (!chomp && (ch === "-" || ch === "+"))
          chomp = ch;
        else {
          const n = Number(ch);
          if (!indent && n)
            indent = n;
          else if (error === -1)
            error = offset + i;
        }
      }
      if (error !== -1)
        onError(error, "UNEXPECTED_TOKEN", `Block scalar header includes extra characters: ${source}`);
      let hasSpace = false;
      let comment = "";
      let length = source.length;
      for (let i = 1; i < props.length; ++i) {
        const token = props[i];
        switch (token.type) {
          case "space":
            hasSpace = true;
          // fallthrough
          case "newline":
            length += token.source.length;
            break;
          case "comment":
            if (strict && !hasSpace) {
              const message = "Comments must be separated from other tokens by white space characters";
              onError(token, "MISSING_CHAR", message);
            }
            length += token.source.length;
            comment = token.source.substring(1);
            break;
          case "error":
            onError(token, "UNEXPECTED_TOKEN", token.message);
            length += token.source.length;
            break;
          /* istanbul ignore next should not happen */
          default: {
            const message = `Unexpected token in block scalar header: ${token.type}`;
            onError(token, "UNEXPECTED_TOKEN", message);
            const ts = token.source;
            if (ts && typeof ts === "string")
              length += ts.length;
          }
        }
      }
      return { mode, indent, chomp, comment, length };
    }
    function splitLines(source) {
      const split = source.split(/\n( *)/);
      const first = split[0];
      const m = first.match(/^( *)/);
      const line0 = m?.[1] ? [m[1], first.slice(m[1].length)] : ["", first];
      const lines = [line0];
      for (let i = 1; i < split.length; i += 2)
        lines.push([split[i], split[i + 1]]);
      return lines;
    }
    exports.resolveBlockScalar = resolveBlockScalar;
  }
});

// node_modules/yaml/dist/compose/resolve-flow-scalar.js
var require_resolve_flow_scalar = __commonJS({
  "node_modules/yaml/dist/compose/resolve-flow-scalar.js"(exports) {
    "use strict";
    var Scalar = require_Scalar();
    var resolveEnd = require_resolve_end();
    function resolveFlowScalar(scalar, strict, onError) {
      const { offset, type, source, end: end2 } = scalar;
      let _type;
      let value;
      const _onError = (rel, code, msg) => onError(offset + rel, code, msg);
      switch (type) {
        case "scalar":
          _type = Scalar.Scalar.PLAIN;
          value = plainValue(source, _onError);
          break;
        case "single-quoted-scalar":
          _type = Scalar.Scalar.QUOTE_SINGLE;
          value = singleQuotedValue(source, _onError);
          break;
        case "double-quoted-scalar":
          _type = Scalar.Scalar.QUOTE_DOUBLE;
          value = doubleQuotedValue(source, _onError);
          break;
        /* istanbul ignore next should not happen */
        default:
          onError(scalar, "UNEXPECTED_TOKEN", `Expected a flow scalar value, but found: ${type}`);
          return {
            value: "",
            type: null,
            comment: "",
            range: [offset, offset + source.length, offset + source.length]
          };
      }
      const valueEnd = offset + source.length;
      const re = resolveEnd.resolveEnd(end2, valueEnd, strict, onError);
      return {
        value,
        type: _type,
        comment: re.comment,
        range: [offset, valueEnd, re.offset]
      };
    }
    function plainValue(source, onError) {
      let badChar = "";
      switch (source[0]) {
        /* istanbul ignore next should not happen */
        case "	":
          badChar = "a tab character";
          break;
        case ",":
          badChar = "flow indicator character ,";
          break;
        case "%":
          badChar = "directive indicator character %";
          break;
        case "|":
        case ">": {
          badChar = `block scalar indicator ${source[0]}`;
          break;
        }
        case "@":
        case "`": {
          badChar = `reserved character ${source[0]}`;
          break;
        }
      }
      if (badChar)
        onError(0, "BAD_SCALAR_START", `Plain value cannot start with ${badChar}`);
      return unfoldLines(source);
    }
    function singleQuotedValue(source, onError) {
      if (source[source.length - 1] !== "'" || source.length === 1)
        onError(source.length, "MISSING_CHAR", "Missing closing 'quote");
      return unfoldLines(source.slice(1, -1)).replace(/''/g, "'");
    }
    function unfoldLines(source) {
      const line = /(.*?)\r?\n/sy;
      let match = line.exec(source);
      if (!match)
        return source;
      let trimEnd, trimBoth;
      try {
        trimEnd = new RegExp("(?<![ 	])[ 	]+$");
        trimBoth = new RegExp("^[ 	]+|(?<![ 	])[ 	]+$", "g");
      } catch {
        trimEnd = /[ \t]+$/;
        trimBoth = /^[ \t]+|[ \t]+$/g;
      }
      let res = match[1].replace(trimEnd, "");
      let sep = " ";
      let pos = line.lastIndex;
      while (match = line.exec(source)) {
        const lm = match[1].replace(trimBoth, "");
        if (lm === "") {
          if (sep === "\n")
            res += sep;
          else
            sep = "\n";
        } else {
          res += sep + lm;
          sep = " ";
        }
        pos = line.lastIndex;
      }
      const last = /[ \t]*(.*)/sy;
      last.lastIndex = pos;
      match = last.exec(source);
      return res + sep + (match?.[1] ?? "");
    }
    function doubleQuotedValue(source, onError) {
      let res = "";
      for (let i = 1; i < source.length - 1; ++i) {
        const ch = source[i];
        if (ch === "\r" && source[i + 1] === "\n")
          continue;
        if (ch === "\n") {
          const { fold, offset } = foldNewline(source, i);
          res += fold;
          i = offset;
        } else if (ch === "\\") {
          let next = source[++i];
          const cc = escapeCodes[next];
          if (cc)
            res += cc;
          else if (next === "\n") {
            next = source[i + 1];
            while (next === " " || next === "	")
              next = source[++i + 1];
          } else if (next === "\r" && source[i + 1] === "\n") {
            next = source[++i + 1];
            while (next === " " || next === "	")
              next = source[++i + 1];
          } else if (next === "x" || next === "u" || next === "U") {
            const length = next === "x" ? 2 : next === "u" ? 4 : 8;
            res += parseCharCode(source, i + 1, length, onError);
            i += length;
          } else {
            const raw = source.substr(i - 1, 2);
            onError(i - 1, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
            res += raw;
          }
        } else if (ch === " " || ch === "	") {
          const wsStart = i;
          let next = source[i + 1];
          while (next === " " || next === "	")
            next = source[++i + 1];
          if (next !== "\n" && !(next === "\r" && source[i + 2] === "\n"))
            res += i > wsStart ? source.slice(wsStart, i + 1) : ch;
        } else {
          res += ch;
        }
      }
      if (source[source.length - 1] !== '"' || source.length === 1)
        onError(source.length, "MISSING_CHAR", 'Missing closing "quote');
      return res;
    }
    function foldNewline(source, offset) {
      let fold = "";
      let ch = source[offset + 1];
      while (ch === " " || ch === "	" || ch === "\n" || ch === "\r") {
        if (ch === "\r" && source[offset + 2] !== "\n")
          break;
        if (ch === "\n")
          fold += "\n";
        offset += 1;
        ch = source[offset + 1];
      }
      if (!fold)
        fold = " ";
      return { fold, offset };
    }
    var escapeCodes = {
      "0": "\0",
      // null character
      a: "\x07",
      // bell character
      b: "\b",
      // backspace
      e: "\x1B",
      // escape character
      f: "\f",
      // form feed
      n: "\n",
      // line feed
      r: "\r",
      // carriage return
      t: "	",
      // horizontal tab
      v: "\v",
      // vertical tab
      N: "\x85",
      // Unicode next line
      _: "\xA0",
      // Unicode non-breaking space
      L: "\u2028",
      // Unicode line separator
      P: "\u2029",
      // Unicode paragraph separator
      " ": " ",
      '"': '"',
      "/": "/",
      "\\": "\\",
      "	": "	"
    };
    function parseCharCode(source, offset, length, onError) {
      const cc = source.substr(offset, length);
      const ok = cc.length === length && /^[0-9a-fA-F]+$/.test(cc);
      const code = ok ? parseInt(cc, 16) : NaN;
      try {
        return String.fromCodePoint(code);
      } catch {
        const raw = source.substr(offset - 2, length + 2);
        onError(offset - 2, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
        return raw;
      }
    }
    exports.resolveFlowScalar = resolveFlowScalar;
  }
});

// node_modules/yaml/dist/compose/compose-scalar.js
var require_compose_scalar = __commonJS({
  "node_modules/yaml/dist/compose/compose-scalar.js"(exports) {
    "use strict";
    var identity = require_identity();
    var Scalar = require_Scalar();
    var resolveBlockScalar = require_resolve_block_scalar();
    var resolveFlowScalar = require_resolve_flow_scalar();
    function composeScalar(ctx, token, tagToken, onError) {
      const { value, type, comment, range } = token.type === "block-scalar" ? resolveBlockScalar.resolveBlockScalar(ctx, token, onError) : resolveFlowScalar.resolveFlowScalar(token, ctx.options.strict, onError);
      const tagName = tagToken ? ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg)) : null;
      let tag;
      if (ctx.options.stringKeys && ctx.atKey) {
        tag = ctx.schema[identity.SCALAR];
      } else if (tagName)
        tag = findScalarTagByName(ctx.schema, value, tagName, tagToken, onError);
      else if (token.type === "scalar")
        tag = findScalarTagByTest(ctx, value, token, onError);
      else
        tag = ctx.schema[identity.SCALAR];
      let scalar;
      try {
        const res = tag.resolve(value, (msg) => onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg), ctx.options);
        scalar = identity.isScalar(res) ? res : new Scalar.Scalar(res);
      } catch (error) {
        const msg = error instanceof Error ? error.message : String(error);
        onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg);
        scalar = new Scalar.Scalar(value);
      }
      scalar.range = range;
      scalar.source = value;
      if (type)
        scalar.type = type;
      if (tagName)
        scalar.tag = tagName;
      if (tag.format)
        scalar.format = tag.format;
      if (comment)
        scalar.comment = comment;
      return scalar;
    }
    function findScalarTagByName(schema, value, tagName, tagToken, onError) {
      if (tagName === "!")
        return schema[identity.SCALAR];
      const matchWithTest = [];
      for (const tag of schema.tags) {
        if (!tag.collection && tag.tag === tagName) {
          if (tag.default && tag.test)
            matchWithTest.push(tag);
          else
            return tag;
        }
      }
      for (const tag of matchWithTest)
        if (tag.test?.test(value))
          return tag;
      const kt = schema.knownTags[tagName];
      if (kt && !kt.collection) {
        schema.tags.push(Object.assign({}, kt, { default: false, test: void 0 }));
        return kt;
      }
      onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, tagName !== "tag:yaml.org,2002:str");
      return schema[identity.SCALAR];
    }
    function findScalarTagByTest({ atKey, directives, schema }, value, token, onError) {
      const tag = schema.tags.find((tag2) => (tag2.default === true || atKey && tag2.default === "key") && tag2.test?.test(value)) || schema[identity.SCALAR];
      if (schema.compat) {
        const compat = schema.compat.find((tag2) => tag2.default && tag2.test?.test(value)) ?? schema[identity.SCALAR];
        if (tag.tag !== compat.tag) {
          const ts = directives.tagString(tag.tag);
          const cs = directives.tagString(compat.tag);
          const msg = `Value may be parsed as either ${ts} or ${cs}`;
          onError(token, "TAG_RESOLVE_FAILED", msg, true);
        }
      }
      return tag;
    }
    exports.composeScalar = composeScalar;
  }
});

// node_modules/yaml/dist/compose/util-empty-scalar-position.js
var require_util_empty_scalar_position = __commonJS({
  "node_modules/yaml/dist/compose/util-empty-scalar-position.js"(exports) {
    "use strict";
    function emptyScalarPosition(offset, before, pos) {
      if (before) {
        pos ?? (pos = before.length);
        for (let i = pos - 1; i >= 0; --i) {
          let st = before[i];
          switch (st.type) {
            case "space":
            case "comment":
            case "newline":
              offset -= st.source.length;
              continue;
          }
          st = before[++i];
          while (st?.type === "space") {
            offset += st.source.length;
            st = before[++i];
          }
          break;
        }
      }
      return offset;
    }
    exports.emptyScalarPosition = emptyScalarPosition;
  }
});

// node_modules/yaml/dist/compose/compose-node.js
var require_compose_node = __commonJS({
  "node_modules/yaml/dist/compose/compose-node.js"(exports) {
    "use strict";
    var Alias = require_Alias();
    var identity = require_identity();
    var composeCollection = require_compose_collection();
    var composeScalar = require_compose_scalar();
    var resolveEnd = require_resolve_end();
    var utilEmptyScalarPosition = require_util_empty_scalar_position();
    var CN = { composeNode, composeEmptyNode };
    function composeNode(ctx, token, props, onError) {
      const atKey = ctx.atKey;
      const { spaceBefore, comment, anchor, tag } = props;
      let node;
      let isSrcToken = true;
      switch (token.type) {
        case "alias":
          node = composeAlias(ctx, token, onError);
          if (anchor || tag)
            onError(token, "ALIAS_PROPS", "An alias node must not specify any properties");
          break;
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar":
        case "block-scalar":
          node = composeScalar.composeScalar(ctx, token, tag, onError);
          if (anchor)
            node.anchor = anchor.source.substring(1);
          break;
        case "block-map":
        case "block-seq":
        case "flow-collection":
          try {
            node = composeCollection.composeCollection(CN, ctx, token, props, onError);
            if (anchor)
              node.anchor = anchor.source.substring(1);
          } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            onError(token, "RESOURCE_EXHAUSTION", message);
          }
          break;
        default: {
          const message = token.type === "error" ? token.message : `Unsupported token (type: ${token.type})`;
          onError(token, "UNEXPECTED_TOKEN", message);
          isSrcToken = false;
        }
      }
      node ?? (node = composeEmptyNode(ctx, token.offset, void 0, null, props, onError));
      if (anchor && node.anchor === "")
        onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
      if (atKey && ctx.options.stringKeys && (!identity.isScalar(node) || typeof node.value !== "string" || node.tag && node.tag !== "tag:yaml.org,2002:str")) {
        const msg = "With stringKeys, all keys must be strings";
        onError(tag ?? token, "NON_STRING_KEY", msg);
      }
      if (spaceBefore)
        node.spaceBefore = true;
      if (comment) {
        if (token.type === "scalar" && token.source === "")
          node.comment = comment;
        else
          node.commentBefore = comment;
      }
      if (ctx.options.keepSourceTokens && isSrcToken)
        node.srcToken = token;
      return node;
    }
    function composeEmptyNode(ctx, offset, before, pos, { spaceBefore, comment, anchor, tag, end: end2 }, onError) {
      const token = {
        type: "scalar",
        offset: utilEmptyScalarPosition.emptyScalarPosition(offset, before, pos),
        indent: -1,
        source: ""
      };
      const node = composeScalar.composeScalar(ctx, token, tag, onError);
      if (anchor) {
        node.anchor = anchor.source.substring(1);
        if (node.anchor === "")
          onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
      }
      if (spaceBefore)
        node.spaceBefore = true;
      if (comment) {
        node.comment = comment;
        node.range[2] = end2;
      }
      return node;
    }
    function composeAlias({ options }, { offset, source, end: end2 }, onError) {
      const alias = new Alias.Alias(source.substring(1));
      if (alias.source === "")
        onError(offset, "BAD_ALIAS", "Alias cannot be an empty string");
      if (alias.source.endsWith(":"))
        onError(offset + source.length - 1, "BAD_ALIAS", "Alias ending in : is ambiguous", true);
      const valueEnd = offset + source.length;
      const re = resolveEnd.resolveEnd(end2, valueEnd, options.strict, onError);
      alias.range = [offset, valueEnd, re.offset];
      if (re.comment)
        alias.comment = re.comment;
      return alias;
    }
    exports.composeEmptyNode = composeEmptyNode;
    exports.composeNode = composeNode;
  }
});

// node_modules/yaml/dist/compose/compose-doc.js
var require_compose_doc = __commonJS({
  "node_modules/yaml/dist/compose/compose-doc.js"(exports) {
    "use strict";
    var Document = require_Document();
    var composeNode = require_compose_node();
    var resolveEnd = require_resolve_end();
    var resolveProps = require_resolve_props();
    function composeDoc(options, directives, { offset, start, value, end: end2 }, onError) {
      const opts = Object.assign({ _directives: directives }, options);
      const doc = new Document.Document(void 0, opts);
      const ctx = {
        atKey: false,
        atRoot: true,
        directives: doc.directives,
        options: doc.options,
        schema: doc.schema
      };
      const props = resolveProps.resolveProps(start, {
        indicator: "doc-start",
        next: value ?? end2?.[0],
        offset,
        onError,
        parentIndent: 0,
        startOnNewline: true
      });
      if (props.found) {
        doc.directives.docStart = true;
        if (value && (value.type === "block-map" || value.type === "block-seq") && !props.hasNewline)
          onError(props.end, "MISSING_CHAR", "Block collection cannot start on same line with directives-end marker");
      }
      doc.contents = value ? composeNode.composeNode(ctx, value, props, onError) : composeNode.composeEmptyNode(ctx, props.end, start, null, props, onError);
      const contentEnd = doc.contents.range[2];
      const re = resolveEnd.resolveEnd(end2, contentEnd, false, onError);
      if (re.comment)
        doc.comment = re.comment;
      doc.range = [offset, contentEnd, re.offset];
      return doc;
    }
    exports.composeDoc = composeDoc;
  }
});

// node_modules/yaml/dist/compose/composer.js
var require_composer = __commonJS({
  "node_modules/yaml/dist/compose/composer.js"(exports) {
    "use strict";
    var node_process = __require("process");
    var directives = require_directives();
    var Document = require_Document();
    var errors = require_errors();
    var identity = require_identity();
    var composeDoc = require_compose_doc();
    var resolveEnd = require_resolve_end();
    function getErrorPos(src) {
      if (typeof src === "number")
        return [src, src + 1];
      if (Array.isArray(src))
        return src.length === 2 ? src : [src[0], src[1]];
      const { offset, source } = src;
      return [offset, offset + (typeof source === "string" ? source.length : 1)];
    }
    function parsePrelude(prelude) {
      let comment = "";
      let atComment = false;
      let afterEmptyLine = false;
      for (let i = 0; i < prelude.length; ++i) {
        const source = prelude[i];
        switch (source[0]) {
          case "#":
            comment += (comment === "" ? "" : afterEmptyLine ? "\n\n" : "\n") + (source.substring(1) || " ");
            atComment = true;
            afterEmptyLine = false;
            break;
          case "%":
            if (prelude[i + 1]?.[0] !== "#")
              i += 1;
            atComment = false;
            break;
          default:
            if (!atComment)
              afterEmptyLine = true;
            atComment = false;
        }
      }
      return { comment, afterEmptyLine };
    }
    var Composer = class {
      constructor(options = {}) {
        this.doc = null;
        this.atDirectives = false;
        this.prelude = [];
        this.errors = [];
        this.warnings = [];
        this.onError = (source, code, message, warning) => {
          const pos = getErrorPos(source);
          if (warning)
            this.warnings.push(new errors.YAMLWarning(pos, code, message));
          else
            this.errors.push(new errors.YAMLParseError(pos, code, message));
        };
        this.directives = new directives.Directives({ version: options.version || "1.2" });
        this.options = options;
      }
      decorate(doc, afterDoc) {
        const { comment, afterEmptyLine } = parsePrelude(this.prelude);
        if (comment) {
          const dc = doc.contents;
          if (afterDoc) {
            doc.comment = doc.comment ? `${doc.comment}
${comment}` : comment;
          } else if (afterEmptyLine || doc.directives.docStart || !dc) {
            doc.commentBefore = comment;
          } else if (identity.isCollection(dc) && !dc.flow && dc.items.length > 0) {
            let it = dc.items[0];
            if (identity.isPair(it))
              it = it.key;
            const cb = it.commentBefore;
            it.commentBefore = cb ? `${comment}
${cb}` : comment;
          } else {
            const cb = dc.commentBefore;
            dc.commentBefore = cb ? `${comment}
${cb}` : comment;
          }
        }
        if (afterDoc) {
          for (let i = 0; i < this.errors.length; ++i)
            doc.errors.push(this.errors[i]);
          for (let i = 0; i < this.warnings.length; ++i)
            doc.warnings.push(this.warnings[i]);
        } else {
          doc.errors = this.errors;
          doc.warnings = this.warnings;
        }
        this.prelude = [];
        this.errors = [];
        this.warnings = [];
      }
      /**
       * Current stream status information.
       *
       * Mostly useful at the end of input for an empty stream.
       */
      streamInfo() {
        return {
          comment: parsePrelude(this.prelude).comment,
          directives: this.directives,
          errors: this.errors,
          warnings: this.warnings
        };
      }
      /**
       * Compose tokens into documents.
       *
       * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
       * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
       */
      *compose(tokens, forceDoc = false, endOffset = -1) {
        for (const token of tokens)
          yield* this.next(token);
        yield* this.end(forceDoc, endOffset);
      }
      /** Advance the composer by one CST token. */
      *next(token) {
        if (node_process.env.LOG_STREAM)
          console.dir(token, { depth: null });
        switch (token.type) {
          case "directive":
            this.directives.add(token.source, (offset, message, warning) => {
              const pos = getErrorPos(token);
              pos[0] += offset;
              this.onError(pos, "BAD_DIRECTIVE", message, warning);
            });
            this.prelude.push(token.source);
            this.atDirectives = true;
            break;
          case "document": {
            const doc = composeDoc.composeDoc(this.options, this.directives, token, this.onError);
            if (this.atDirectives && !doc.directives.docStart)
              this.onError(token, "MISSING_CHAR", "Missing directives-end/doc-start indicator line");
            this.decorate(doc, false);
            if (this.doc)
              yield this.doc;
            this.doc = doc;
            this.atDirectives = false;
            break;
          }
          case "byte-order-mark":
          case "space":
            break;
          case "comment":
          case "newline":
            this.prelude.push(token.source);
            break;
          case "error": {
            const msg = token.source ? `${token.message}: ${JSON.stringify(token.source)}` : token.message;
            const error = new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg);
            if (this.atDirectives || !this.doc)
              this.errors.push(error);
            else
              this.doc.errors.push(error);
            break;
          }
          case "doc-end": {
            if (!this.doc) {
              const msg = "Unexpected doc-end without preceding document";
              this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg));
              break;
            }
            this.doc.directives.docEnd = true;
            const end2 = resolveEnd.resolveEnd(token.end, token.offset + token.source.length, this.doc.options.strict, this.onError);
            this.decorate(this.doc, true);
            if (end2.comment) {
              const dc = this.doc.comment;
              this.doc.comment = dc ? `${dc}
${end2.comment}` : end2.comment;
            }
            this.doc.range[2] = end2.offset;
            break;
          }
          default:
            this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", `Unsupported token ${token.type}`));
        }
      }
      /**
       * Call at end of input to yield any remaining document.
       *
       * @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
       * @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
       */
      *end(forceDoc = false, endOffset = -1) {
        if (this.doc) {
          this.decorate(this.doc, true);
          yield this.doc;
          this.doc = null;
        } else if (forceDoc) {
          const opts = Object.assign({ _directives: this.directives }, this.options);
          const doc = new Document.Document(void 0, opts);
          if (this.atDirectives)
            this.onError(endOffset, "MISSING_CHAR", "Missing directives-end indicator line");
          doc.range = [0, endOffset, endOffset];
          this.decorate(doc, false);
          yield doc;
        }
      }
    };
    exports.Composer = Composer;
  }
});

// node_modules/yaml/dist/parse/cst-scalar.js
var require_cst_scalar = __commonJS({
  "node_modules/yaml/dist/parse/cst-scalar.js"(exports) {
    "use strict";
    var resolveBlockScalar = require_resolve_block_scalar();
    var resolveFlowScalar = require_resolve_flow_scalar();
    var errors = require_errors();
    var stringifyString = require_stringifyString();
    function resolveAsScalar(token, strict = true, onError) {
      if (token) {
        const _onError = (pos, code, message) => {
          const offset = typeof pos === "number" ? pos : Array.isArray(pos) ? pos[0] : pos.offset;
          if (onError)
            onError(offset, code, message);
          else
            throw new errors.YAMLParseError([offset, offset + 1], code, message);
        };
        switch (token.type) {
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return resolveFlowScalar.resolveFlowScalar(token, strict, _onError);
          case "block-scalar":
            return resolveBlockScalar.resolveBlockScalar({ options: { strict } }, token, _onError);
        }
      }
      return null;
    }
    function createScalarToken(value, context) {
      const { implicitKey = false, indent, inFlow = false, offset = -1, type = "PLAIN" } = context;
      const source = stringifyString.stringifyString({ type, value }, {
        implicitKey,
        indent: indent > 0 ? " ".repeat(indent) : "",
        inFlow,
        options: { blockQuote: true, lineWidth: -1 }
      });
      const end2 = context.end ?? [
        { type: "newline", offset: -1, indent, source: "\n" }
      ];
      switch (source[0]) {
        case "|":
        case ">": {
          const he = source.indexOf("\n");
          const head = source.substring(0, he);
          const body = source.substring(he + 1) + "\n";
          const props = [
            { type: "block-scalar-header", offset, indent, source: head }
          ];
          if (!addEndtoBlockProps(props, end2))
            props.push({ type: "newline", offset: -1, indent, source: "\n" });
          return { type: "block-scalar", offset, indent, props, source: body };
        }
        case '"':
          return { type: "double-quoted-scalar", offset, indent, source, end: end2 };
        case "'":
          return { type: "single-quoted-scalar", offset, indent, source, end: end2 };
        default:
          return { type: "scalar", offset, indent, source, end: end2 };
      }
    }
    function setScalarValue(token, value, context = {}) {
      let { afterKey = false, implicitKey = false, inFlow = false, type } = context;
      let indent = "indent" in token ? token.indent : null;
      if (afterKey && typeof indent === "number")
        indent += 2;
      if (!type)
        switch (token.type) {
          case "single-quoted-scalar":
            type = "QUOTE_SINGLE";
            break;
          case "double-quoted-scalar":
            type = "QUOTE_DOUBLE";
            break;
          case "block-scalar": {
            const header = token.props[0];
            if (header.type !== "block-scalar-header")
              throw new Error("Invalid block scalar header");
            type = header.source[0] === ">" ? "BLOCK_FOLDED" : "BLOCK_LITERAL";
            break;
          }
          default:
            type = "PLAIN";
        }
      const source = stringifyString.stringifyString({ type, value }, {
        implicitKey: implicitKey || indent === null,
        indent: indent !== null && indent > 0 ? " ".repeat(indent) : "",
        inFlow,
        options: { blockQuote: true, lineWidth: -1 }
      });
      switch (source[0]) {
        case "|":
        case ">":
          setBlockScalarValue(token, source);
          break;
        case '"':
          setFlowScalarValue(token, source, "double-quoted-scalar");
          break;
        case "'":
          setFlowScalarValue(token, source, "single-quoted-scalar");
          break;
        default:
          setFlowScalarValue(token, source, "scalar");
      }
    }
    function setBlockScalarValue(token, source) {
      const he = source.indexOf("\n");
      const head = source.substring(0, he);
      const body = source.substring(he + 1) + "\n";
      if (token.type === "block-scalar") {
        const header = token.props[0];
        if (header.type !== "block-scalar-header")
          throw new Error("Invalid block scalar header");
        header.source = head;
        token.source = body;
      } else {
        const { offset } = token;
        const indent = "indent" in token ? token.indent : -1;
        const props = [
          { type: "block-scalar-header", offset, indent, source: head }
        ];
        if (!addEndtoBlockProps(props, "end" in token ? token.end : void 0))
          props.push({ type: "newline", offset: -1, indent, source: "\n" });
        for (const key of Object.keys(token))
          if (key !== "type" && key !== "offset")
            delete token[key];
        Object.assign(token, { type: "block-scalar", indent, props, source: body });
      }
    }
    function addEndtoBlockProps(props, end2) {
      if (end2)
        for (const st of end2)
          switch (st.type) {
            case "space":
            case "comment":
              props.push(st);
              break;
            case "newline":
              props.push(st);
              return true;
          }
      return false;
    }
    function setFlowScalarValue(token, source, type) {
      switch (token.type) {
        case "scalar":
        case "double-quoted-scalar":
        case "single-quoted-scalar":
          token.type = type;
          token.source = source;
          break;
        case "block-scalar": {
          const end2 = token.props.slice(1);
          let oa = source.length;
          if (token.props[0].type === "block-scalar-header")
            oa -= token.props[0].source.length;
          for (const tok of end2)
            tok.offset += oa;
          delete token.props;
          Object.assign(token, { type, source, end: end2 });
          break;
        }
        case "block-map":
        case "block-seq": {
          const offset = token.offset + source.length;
          const nl = { type: "newline", offset, indent: token.indent, source: "\n" };
          delete token.items;
          Object.assign(token, { type, source, end: [nl] });
          break;
        }
        default: {
          const indent = "indent" in token ? token.indent : -1;
          const end2 = "end" in token && Array.isArray(token.end) ? token.end.filter((st) => st.type === "space" || st.type === "comment" || st.type === "newline") : [];
          for (const key of Object.keys(token))
            if (key !== "type" && key !== "offset")
              delete token[key];
          Object.assign(token, { type, indent, source, end: end2 });
        }
      }
    }
    exports.createScalarToken = createScalarToken;
    exports.resolveAsScalar = resolveAsScalar;
    exports.setScalarValue = setScalarValue;
  }
});

// node_modules/yaml/dist/parse/cst-stringify.js
var require_cst_stringify = __commonJS({
  "node_modules/yaml/dist/parse/cst-stringify.js"(exports) {
    "use strict";
    var stringify = (cst) => "type" in cst ? stringifyToken(cst) : stringifyItem(cst);
    function stringifyToken(token) {
      switch (token.type) {
        case "block-scalar": {
          let res = "";
          for (const tok of token.props)
            res += stringifyToken(tok);
          return res + token.source;
        }
        case "block-map":
        case "block-seq": {
          let res = "";
          for (const item of token.items)
            res += stringifyItem(item);
          return res;
        }
        case "flow-collection": {
          let res = token.start.source;
          for (const item of token.items)
            res += stringifyItem(item);
          for (const st of token.end)
            res += st.source;
          return res;
        }
        case "document": {
          let res = stringifyItem(token);
          if (token.end)
            for (const st of token.end)
              res += st.source;
          return res;
        }
        default: {
          let res = token.source;
          if ("end" in token && token.end)
            for (const st of token.end)
              res += st.source;
          return res;
        }
      }
    }
    function stringifyItem({ start, key, sep, value }) {
      let res = "";
      for (const st of start)
        res += st.source;
      if (key)
        res += stringifyToken(key);
      if (sep)
        for (const st of sep)
          res += st.source;
      if (value)
        res += stringifyToken(value);
      return res;
    }
    exports.stringify = stringify;
  }
});

// node_modules/yaml/dist/parse/cst-visit.js
var require_cst_visit = __commonJS({
  "node_modules/yaml/dist/parse/cst-visit.js"(exports) {
    "use strict";
    var BREAK = /* @__PURE__ */ Symbol("break visit");
    var SKIP = /* @__PURE__ */ Symbol("skip children");
    var REMOVE = /* @__PURE__ */ Symbol("remove item");
    function visit(cst, visitor) {
      if ("type" in cst && cst.type === "document")
        cst = { start: cst.start, value: cst.value };
      _visit(Object.freeze([]), cst, visitor);
    }
    visit.BREAK = BREAK;
    visit.SKIP = SKIP;
    visit.REMOVE = REMOVE;
    visit.itemAtPath = (cst, path2) => {
      let item = cst;
      for (const [field, index] of path2) {
        const tok = item?.[field];
        if (tok && "items" in tok) {
          item = tok.items[index];
        } else
          return void 0;
      }
      return item;
    };
    visit.parentCollection = (cst, path2) => {
      const parent = visit.itemAtPath(cst, path2.slice(0, -1));
      const field = path2[path2.length - 1][0];
      const coll = parent?.[field];
      if (coll && "items" in coll)
        return coll;
      throw new Error("Parent collection not found");
    };
    function _visit(path2, item, visitor) {
      let ctrl = visitor(item, path2);
      if (typeof ctrl === "symbol")
        return ctrl;
      for (const field of ["key", "value"]) {
        const token = item[field];
        if (token && "items" in token) {
          for (let i = 0; i < token.items.length; ++i) {
            const ci = _visit(Object.freeze(path2.concat([[field, i]])), token.items[i], visitor);
            if (typeof ci === "number")
              i = ci - 1;
            else if (ci === BREAK)
              return BREAK;
            else if (ci === REMOVE) {
              token.items.splice(i, 1);
              i -= 1;
            }
          }
          if (typeof ctrl === "function" && field === "key")
            ctrl = ctrl(item, path2);
        }
      }
      return typeof ctrl === "function" ? ctrl(item, path2) : ctrl;
    }
    exports.visit = visit;
  }
});

// node_modules/yaml/dist/parse/cst.js
var require_cst = __commonJS({
  "node_modules/yaml/dist/parse/cst.js"(exports) {
    "use strict";
    var cstScalar = require_cst_scalar();
    var cstStringify = require_cst_stringify();
    var cstVisit = require_cst_visit();
    var BOM = "\uFEFF";
    var DOCUMENT = "";
    var FLOW_END = "";
    var SCALAR = "";
    var isCollection = (token) => !!token && "items" in token;
    var isScalar3 = (token) => !!token && (token.type === "scalar" || token.type === "single-quoted-scalar" || token.type === "double-quoted-scalar" || token.type === "block-scalar");
    function prettyToken(token) {
      switch (token) {
        case BOM:
          return "<BOM>";
        case DOCUMENT:
          return "<DOC>";
        case FLOW_END:
          return "<FLOW_END>";
        case SCALAR:
          return "<SCALAR>";
        default:
          return JSON.stringify(token);
      }
    }
    function tokenType(source) {
      switch (source) {
        case BOM:
          return "byte-order-mark";
        case DOCUMENT:
          return "doc-mode";
        case FLOW_END:
          return "flow-error-end";
        case SCALAR:
          return "scalar";
        case "---":
          return "doc-start";
        case "...":
          return "doc-end";
        case "":
        case "\n":
        case "\r\n":
          return "newline";
        case "-":
          return "seq-item-ind";
        case "?":
          return "explicit-key-ind";
        case ":":
          return "map-value-ind";
        case "{":
          return "flow-map-start";
        case "}":
          return "flow-map-end";
        case "[":
          return "flow-seq-start";
        case "]":
          return "flow-seq-end";
        case ",":
          return "comma";
      }
      switch (source[0]) {
        case " ":
        case "	":
          return "space";
        case "#":
          return "comment";
        case "%":
          return "directive-line";
        case "*":
          return "alias";
        case "&":
          return "anchor";
        case "!":
          return "tag";
        case "'":
          return "single-quoted-scalar";
        case '"':
          return "double-quoted-scalar";
        case "|":
        case ">":
          return "block-scalar-header";
      }
      return null;
    }
    exports.createScalarToken = cstScalar.createScalarToken;
    exports.resolveAsScalar = cstScalar.resolveAsScalar;
    exports.setScalarValue = cstScalar.setScalarValue;
    exports.stringify = cstStringify.stringify;
    exports.visit = cstVisit.visit;
    exports.BOM = BOM;
    exports.DOCUMENT = DOCUMENT;
    exports.FLOW_END = FLOW_END;
    exports.SCALAR = SCALAR;
    exports.isCollection = isCollection;
    exports.isScalar = isScalar3;
    exports.prettyToken = prettyToken;
    exports.tokenType = tokenType;
  }
});

// node_modules/yaml/dist/parse/lexer.js
var require_lexer = __commonJS({
  "node_modules/yaml/dist/parse/lexer.js"(exports) {
    "use strict";
    var cst = require_cst();
    function isEmpty(ch) {
      switch (ch) {
        case void 0:
        case " ":
        case "\n":
        case "\r":
        case "	":
          return true;
        default:
          return false;
      }
    }
    var hexDigits = new Set("0123456789ABCDEFabcdef");
    var tagChars = new Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$_.!~*'()");
    var flowIndicatorChars = new Set(",[]{}");
    var invalidAnchorChars = new Set(" ,[]{}\n\r	");
    var isNotAnchorChar = (ch) => !ch || invalidAnchorChars.has(ch);
    var Lexer = class {
      constructor() {
        this.atEnd = false;
        this.blockScalarIndent = -1;
        this.blockScalarKeep = false;
        this.buffer = "";
        this.flowKey = false;
        this.flowLevel = 0;
        this.indentNext = 0;
        this.indentValue = 0;
        this.lineEndPos = null;
        this.next = null;
        this.pos = 0;
      }
      /**
       * Generate YAML tokens from the `source` string. If `incomplete`,
       * a part of the last line may be left as a buffer for the next call.
       *
       * @returns A generator of lexical tokens
       */
      *lex(source, incomplete = false) {
        if (source) {
          if (typeof source !== "string")
            throw TypeError("source is not a string");
          this.buffer = this.buffer ? this.buffer + source : source;
          this.lineEndPos = null;
        }
        this.atEnd = !incomplete;
        let next = this.next ?? "stream";
        while (next && (incomplete || this.hasChars(1)))
          next = yield* this.parseNext(next);
      }
      atLineEnd() {
        let i = this.pos;
        let ch = this.buffer[i];
        while (ch === " " || ch === "	")
          ch = this.buffer[++i];
        if (!ch || ch === "#" || ch === "\n")
          return true;
        if (ch === "\r")
          return this.buffer[i + 1] === "\n";
        return false;
      }
      charAt(n) {
        return this.buffer[this.pos + n];
      }
      continueScalar(offset) {
        let ch = this.buffer[offset];
        if (this.indentNext > 0) {
          let indent = 0;
          while (ch === " ")
            ch = this.buffer[++indent + offset];
          if (ch === "\r") {
            const next = this.buffer[indent + offset + 1];
            if (next === "\n" || !next && !this.atEnd)
              return offset + indent + 1;
          }
          return ch === "\n" || indent >= this.indentNext || !ch && !this.atEnd ? offset + indent : -1;
        }
        if (ch === "-" || ch === ".") {
          const dt = this.buffer.substr(offset, 3);
          if ((dt === "---" || dt === "...") && isEmpty(this.buffer[offset + 3]))
            return -1;
        }
        return offset;
      }
      getLine() {
        let end2 = this.lineEndPos;
        if (typeof end2 !== "number" || end2 !== -1 && end2 < this.pos) {
          end2 = this.buffer.indexOf("\n", this.pos);
          this.lineEndPos = end2;
        }
        if (end2 === -1)
          return this.atEnd ? this.buffer.substring(this.pos) : null;
        if (this.buffer[end2 - 1] === "\r")
          end2 -= 1;
        return this.buffer.substring(this.pos, end2);
      }
      hasChars(n) {
        return this.pos + n <= this.buffer.length;
      }
      setNext(state) {
        this.buffer = this.buffer.substring(this.pos);
        this.pos = 0;
        this.lineEndPos = null;
        this.next = state;
        return null;
      }
      peek(n) {
        return this.buffer.substr(this.pos, n);
      }
      *parseNext(next) {
        switch (next) {
          case "stream":
            return yield* this.parseStream();
          case "line-start":
            return yield* this.parseLineStart();
          case "block-start":
            return yield* this.parseBlockStart();
          case "doc":
            return yield* this.parseDocument();
          case "flow":
            return yield* this.parseFlowCollection();
          case "quoted-scalar":
            return yield* this.parseQuotedScalar();
          case "block-scalar":
            return yield* this.parseBlockScalar();
          case "plain-scalar":
            return yield* this.parsePlainScalar();
        }
      }
      *parseStream() {
        let line = this.getLine();
        if (line === null)
          return this.setNext("stream");
        if (line[0] === cst.BOM) {
          yield* this.pushCount(1);
          line = line.substring(1);
        }
        if (line[0] === "%") {
          let dirEnd = line.length;
          let cs = line.indexOf("#");
          while (cs !== -1) {
            const ch = line[cs - 1];
            if (ch === " " || ch === "	") {
              dirEnd = cs - 1;
              break;
            } else {
              cs = line.indexOf("#", cs + 1);
            }
          }
          while (true) {
            const ch = line[dirEnd - 1];
            if (ch === " " || ch === "	")
              dirEnd -= 1;
            else
              break;
          }
          const n = (yield* this.pushCount(dirEnd)) + (yield* this.pushSpaces(true));
          yield* this.pushCount(line.length - n);
          this.pushNewline();
          return "stream";
        }
        if (this.atLineEnd()) {
          const sp = yield* this.pushSpaces(true);
          yield* this.pushCount(line.length - sp);
          yield* this.pushNewline();
          return "stream";
        }
        yield cst.DOCUMENT;
        return yield* this.parseLineStart();
      }
      *parseLineStart() {
        const ch = this.charAt(0);
        if (!ch && !this.atEnd)
          return this.setNext("line-start");
        if (ch === "-" || ch === ".") {
          if (!this.atEnd && !this.hasChars(4))
            return this.setNext("line-start");
          const s = this.peek(3);
          if ((s === "---" || s === "...") && isEmpty(this.charAt(3))) {
            yield* this.pushCount(3);
            this.indentValue = 0;
            this.indentNext = 0;
            return s === "---" ? "doc" : "stream";
          }
        }
        this.indentValue = yield* this.pushSpaces(false);
        if (this.indentNext > this.indentValue && !isEmpty(this.charAt(1)))
          this.indentNext = this.indentValue;
        return yield* this.parseBlockStart();
      }
      *parseBlockStart() {
        const [ch0, ch1] = this.peek(2);
        if (!ch1 && !this.atEnd)
          return this.setNext("block-start");
        if ((ch0 === "-" || ch0 === "?" || ch0 === ":") && isEmpty(ch1)) {
          const n = (yield* this.pushCount(1)) + (yield* this.pushSpaces(true));
          this.indentNext = this.indentValue + 1;
          this.indentValue += n;
          return "block-start";
        }
        return "doc";
      }
      *parseDocument() {
        yield* this.pushSpaces(true);
        const line = this.getLine();
        if (line === null)
          return this.setNext("doc");
        let n = yield* this.pushIndicators();
        switch (line[n]) {
          case "#":
            yield* this.pushCount(line.length - n);
          // fallthrough
          case void 0:
            yield* this.pushNewline();
            return yield* this.parseLineStart();
          case "{":
          case "[":
            yield* this.pushCount(1);
            this.flowKey = false;
            this.flowLevel = 1;
            return "flow";
          case "}":
          case "]":
            yield* this.pushCount(1);
            return "doc";
          case "*":
            yield* this.pushUntil(isNotAnchorChar);
            return "doc";
          case '"':
          case "'":
            return yield* this.parseQuotedScalar();
          case "|":
          case ">":
            n += yield* this.parseBlockScalarHeader();
            n += yield* this.pushSpaces(true);
            yield* this.pushCount(line.length - n);
            yield* this.pushNewline();
            return yield* this.parseBlockScalar();
          default:
            return yield* this.parsePlainScalar();
        }
      }
      *parseFlowCollection() {
        let nl, sp;
        let indent = -1;
        do {
          nl = yield* this.pushNewline();
          if (nl > 0) {
            sp = yield* this.pushSpaces(false);
            this.indentValue = indent = sp;
          } else {
            sp = 0;
          }
          sp += yield* this.pushSpaces(true);
        } while (nl + sp > 0);
        const line = this.getLine();
        if (line === null)
          return this.setNext("flow");
        if (indent !== -1 && indent < this.indentNext && line[0] !== "#" || indent === 0 && (line.startsWith("---") || line.startsWith("...")) && isEmpty(line[3])) {
          const atFlowEndMarker = indent === this.indentNext - 1 && this.flowLevel === 1 && (line[0] === "]" || line[0] === "}");
          if (!atFlowEndMarker) {
            this.flowLevel = 0;
            yield cst.FLOW_END;
            return yield* this.parseLineStart();
          }
        }
        let n = 0;
        while (line[n] === ",") {
          n += yield* this.pushCount(1);
          n += yield* this.pushSpaces(true);
          this.flowKey = false;
        }
        n += yield* this.pushIndicators();
        switch (line[n]) {
          case void 0:
            return "flow";
          case "#":
            yield* this.pushCount(line.length - n);
            return "flow";
          case "{":
          case "[":
            yield* this.pushCount(1);
            this.flowKey = false;
            this.flowLevel += 1;
            return "flow";
          case "}":
          case "]":
            yield* this.pushCount(1);
            this.flowKey = true;
            this.flowLevel -= 1;
            return this.flowLevel ? "flow" : "doc";
          case "*":
            yield* this.pushUntil(isNotAnchorChar);
            return "flow";
          case '"':
          case "'":
            this.flowKey = true;
            return yield* this.parseQuotedScalar();
          case ":": {
            const next = this.charAt(1);
            if (this.flowKey || isEmpty(next) || next === ",") {
              this.flowKey = false;
              yield* this.pushCount(1);
              yield* this.pushSpaces(true);
              return "flow";
            }
          }
          // fallthrough
          default:
            this.flowKey = false;
            return yield* this.parsePlainScalar();
        }
      }
      *parseQuotedScalar() {
        const quote = this.charAt(0);
        let end2 = this.buffer.indexOf(quote, this.pos + 1);
        if (quote === "'") {
          while (end2 !== -1 && this.buffer[end2 + 1] === "'")
            end2 = this.buffer.indexOf("'", end2 + 2);
        } else {
          while (end2 !== -1) {
            let n = 0;
            while (this.buffer[end2 - 1 - n] === "\\")
              n += 1;
            if (n % 2 === 0)
              break;
            end2 = this.buffer.indexOf('"', end2 + 1);
          }
        }
        const qb = this.buffer.substring(0, end2);
        let nl = qb.indexOf("\n", this.pos);
        if (nl !== -1) {
          while (nl !== -1) {
            const cs = this.continueScalar(nl + 1);
            if (cs === -1)
              break;
            nl = qb.indexOf("\n", cs);
          }
          if (nl !== -1) {
            end2 = nl - (qb[nl - 1] === "\r" ? 2 : 1);
          }
        }
        if (end2 === -1) {
          if (!this.atEnd)
            return this.setNext("quoted-scalar");
          end2 = this.buffer.length;
        }
        yield* this.pushToIndex(end2 + 1, false);
        return this.flowLevel ? "flow" : "doc";
      }
      *parseBlockScalarHeader() {
        this.blockScalarIndent = -1;
        this.blockScalarKeep = false;
        let i = this.pos;
        while (true) {
          const ch = this.buffer[++i];
          if (ch === "+")
            this.blockScalarKeep = true;
          else if (ch > "0" && ch <= "9")
            this.blockScalarIndent = Number(ch) - 1;
          else if (ch !== "-")
            break;
        }
        return yield* this.pushUntil((ch) => isEmpty(ch) || ch === "#");
      }
      *parseBlockScalar() {
        let nl = this.pos - 1;
        let indent = 0;
        let ch;
        loop: for (let i2 = this.pos; ch = this.buffer[i2]; ++i2) {
          switch (ch) {
            case " ":
              indent += 1;
              break;
            case "\n":
              nl = i2;
              indent = 0;
              break;
            case "\r": {
              const next = this.buffer[i2 + 1];
              if (!next && !this.atEnd)
                return this.setNext("block-scalar");
              if (next === "\n")
                break;
            }
            // fallthrough
            default:
              break loop;
          }
        }
        if (!ch && !this.atEnd)
          return this.setNext("block-scalar");
        if (indent >= this.indentNext) {
          if (this.blockScalarIndent === -1)
            this.indentNext = indent;
          else {
            this.indentNext = this.blockScalarIndent + (this.indentNext === 0 ? 1 : this.indentNext);
          }
          do {
            const cs = this.continueScalar(nl + 1);
            if (cs === -1)
              break;
            nl = this.buffer.indexOf("\n", cs);
          } while (nl !== -1);
          if (nl === -1) {
            if (!this.atEnd)
              return this.setNext("block-scalar");
            nl = this.buffer.length;
          }
        }
        let i = nl + 1;
        ch = this.buffer[i];
        while (ch === " ")
          ch = this.buffer[++i];
        if (ch === "	") {
          while (ch === "	" || ch === " " || ch === "\r" || ch === "\n")
            ch = this.buffer[++i];
          nl = i - 1;
        } else if (!this.blockScalarKeep) {
          do {
            let i2 = nl - 1;
            let ch2 = this.buffer[i2];
            if (ch2 === "\r")
              ch2 = this.buffer[--i2];
            const lastChar = i2;
            while (ch2 === " ")
              ch2 = this.buffer[--i2];
            if (ch2 === "\n" && i2 >= this.pos && i2 + 1 + indent > lastChar)
              nl = i2;
            else
              break;
          } while (true);
        }
        yield cst.SCALAR;
        yield* this.pushToIndex(nl + 1, true);
        return yield* this.parseLineStart();
      }
      *parsePlainScalar() {
        const inFlow = this.flowLevel > 0;
        let end2 = this.pos - 1;
        let i = this.pos - 1;
        let ch;
        while (ch = this.buffer[++i]) {
          if (ch === ":") {
            const next = this.buffer[i + 1];
            if (isEmpty(next) || inFlow && flowIndicatorChars.has(next))
              break;
            end2 = i;
          } else if (isEmpty(ch)) {
            let next = this.buffer[i + 1];
            if (ch === "\r") {
              if (next === "\n") {
                i += 1;
                ch = "\n";
                next = this.buffer[i + 1];
              } else
                end2 = i;
            }
            if (next === "#" || inFlow && flowIndicatorChars.has(next))
              break;
            if (ch === "\n") {
              const cs = this.continueScalar(i + 1);
              if (cs === -1)
                break;
              i = Math.max(i, cs - 2);
            }
          } else {
            if (inFlow && flowIndicatorChars.has(ch))
              break;
            end2 = i;
          }
        }
        if (!ch && !this.atEnd)
          return this.setNext("plain-scalar");
        yield cst.SCALAR;
        yield* this.pushToIndex(end2 + 1, true);
        return inFlow ? "flow" : "doc";
      }
      *pushCount(n) {
        if (n > 0) {
          yield this.buffer.substr(this.pos, n);
          this.pos += n;
          return n;
        }
        return 0;
      }
      *pushToIndex(i, allowEmpty) {
        const s = this.buffer.slice(this.pos, i);
        if (s) {
          yield s;
          this.pos += s.length;
          return s.length;
        } else if (allowEmpty)
          yield "";
        return 0;
      }
      *pushIndicators() {
        let n = 0;
        loop: while (true) {
          switch (this.charAt(0)) {
            case "!":
              n += yield* this.pushTag();
              n += yield* this.pushSpaces(true);
              continue loop;
            case "&":
              n += yield* this.pushUntil(isNotAnchorChar);
              n += yield* this.pushSpaces(true);
              continue loop;
            case "-":
            // this is an error
            case "?":
            // this is an error outside flow collections
            case ":": {
              const inFlow = this.flowLevel > 0;
              const ch1 = this.charAt(1);
              if (isEmpty(ch1) || inFlow && flowIndicatorChars.has(ch1)) {
                if (!inFlow)
                  this.indentNext = this.indentValue + 1;
                else if (this.flowKey)
                  this.flowKey = false;
                n += yield* this.pushCount(1);
                n += yield* this.pushSpaces(true);
                continue loop;
              }
            }
          }
          break loop;
        }
        return n;
      }
      *pushTag() {
        if (this.charAt(1) === "<") {
          let i = this.pos + 2;
          let ch = this.buffer[i];
          while (!isEmpty(ch) && ch !== ">")
            ch = this.buffer[++i];
          return yield* this.pushToIndex(ch === ">" ? i + 1 : i, false);
        } else {
          let i = this.pos + 1;
          let ch = this.buffer[i];
          while (ch) {
            if (tagChars.has(ch))
              ch = this.buffer[++i];
            else if (ch === "%" && hexDigits.has(this.buffer[i + 1]) && hexDigits.has(this.buffer[i + 2])) {
              ch = this.buffer[i += 3];
            } else
              break;
          }
          return yield* this.pushToIndex(i, false);
        }
      }
      *pushNewline() {
        const ch = this.buffer[this.pos];
        if (ch === "\n")
          return yield* this.pushCount(1);
        else if (ch === "\r" && this.charAt(1) === "\n")
          return yield* this.pushCount(2);
        else
          return 0;
      }
      *pushSpaces(allowTabs) {
        let i = this.pos - 1;
        let ch;
        do {
          ch = this.buffer[++i];
        } while (ch === " " || allowTabs && ch === "	");
        const n = i - this.pos;
        if (n > 0) {
          yield this.buffer.substr(this.pos, n);
          this.pos = i;
        }
        return n;
      }
      *pushUntil(test) {
        let i = this.pos;
        let ch = this.buffer[i];
        while (!test(ch))
          ch = this.buffer[++i];
        return yield* this.pushToIndex(i, false);
      }
    };
    exports.Lexer = Lexer;
  }
});

// node_modules/yaml/dist/parse/line-counter.js
var require_line_counter = __commonJS({
  "node_modules/yaml/dist/parse/line-counter.js"(exports) {
    "use strict";
    var LineCounter2 = class {
      constructor() {
        this.lineStarts = [];
        this.addNewLine = (offset) => this.lineStarts.push(offset);
        this.linePos = (offset) => {
          let low = 0;
          let high = this.lineStarts.length;
          while (low < high) {
            const mid = low + high >> 1;
            if (this.lineStarts[mid] < offset)
              low = mid + 1;
            else
              high = mid;
          }
          if (this.lineStarts[low] === offset)
            return { line: low + 1, col: 1 };
          if (low === 0)
            return { line: 0, col: offset };
          const start = this.lineStarts[low - 1];
          return { line: low, col: offset - start + 1 };
        };
      }
    };
    exports.LineCounter = LineCounter2;
  }
});

// node_modules/yaml/dist/parse/parser.js
var require_parser = __commonJS({
  "node_modules/yaml/dist/parse/parser.js"(exports) {
    "use strict";
    var node_process = __require("process");
    var cst = require_cst();
    var lexer = require_lexer();
    function includesToken(list, type) {
      for (let i = 0; i < list.length; ++i)
        if (list[i].type === type)
          return true;
      return false;
    }
    function findNonEmptyIndex(list) {
      for (let i = 0; i < list.length; ++i) {
        switch (list[i].type) {
          case "space":
          case "comment":
          case "newline":
            break;
          default:
            return i;
        }
      }
      return -1;
    }
    function isFlowToken(token) {
      switch (token?.type) {
        case "alias":
        case "scalar":
        case "single-quoted-scalar":
        case "double-quoted-scalar":
        case "flow-collection":
          return true;
        default:
          return false;
      }
    }
    function getPrevProps(parent) {
      switch (parent.type) {
        case "document":
          return parent.start;
        case "block-map": {
          const it = parent.items[parent.items.length - 1];
          return it.sep ?? it.start;
        }
        case "block-seq":
          return parent.items[parent.items.length - 1].start;
        /* istanbul ignore next should not happen */
        default:
          return [];
      }
    }
    function getFirstKeyStartProps(prev) {
      if (prev.length === 0)
        return [];
      let i = prev.length;
      loop: while (--i >= 0) {
        switch (prev[i].type) {
          case "doc-start":
          case "explicit-key-ind":
          case "map-value-ind":
          case "seq-item-ind":
          case "newline":
            break loop;
        }
      }
      while (prev[++i]?.type === "space") {
      }
      return prev.splice(i, prev.length);
    }
    function arrayPushArray(target, source) {
      if (source.length < 1e5)
        Array.prototype.push.apply(target, source);
      else
        for (let i = 0; i < source.length; ++i)
          target.push(source[i]);
    }
    function fixFlowSeqItems(fc) {
      if (fc.start.type === "flow-seq-start") {
        for (const it of fc.items) {
          if (it.sep && !it.value && !includesToken(it.start, "explicit-key-ind") && !includesToken(it.sep, "map-value-ind")) {
            if (it.key)
              it.value = it.key;
            delete it.key;
            if (isFlowToken(it.value)) {
              if (it.value.end)
                arrayPushArray(it.value.end, it.sep);
              else
                it.value.end = it.sep;
            } else
              arrayPushArray(it.start, it.sep);
            delete it.sep;
          }
        }
      }
    }
    var Parser = class {
      /**
       * @param onNewLine - If defined, called separately with the start position of
       *   each new line (in `parse()`, including the start of input).
       */
      constructor(onNewLine) {
        this.atNewLine = true;
        this.atScalar = false;
        this.indent = 0;
        this.offset = 0;
        this.onKeyLine = false;
        this.stack = [];
        this.source = "";
        this.type = "";
        this.lexer = new lexer.Lexer();
        this.onNewLine = onNewLine;
      }
      /**
       * Parse `source` as a YAML stream.
       * If `incomplete`, a part of the last line may be left as a buffer for the next call.
       *
       * Errors are not thrown, but yielded as `{ type: 'error', message }` tokens.
       *
       * @returns A generator of tokens representing each directive, document, and other structure.
       */
      *parse(source, incomplete = false) {
        if (this.onNewLine && this.offset === 0)
          this.onNewLine(0);
        for (const lexeme of this.lexer.lex(source, incomplete))
          yield* this.next(lexeme);
        if (!incomplete)
          yield* this.end();
      }
      /**
       * Advance the parser by the `source` of one lexical token.
       */
      *next(source) {
        this.source = source;
        if (node_process.env.LOG_TOKENS)
          console.log("|", cst.prettyToken(source));
        if (this.atScalar) {
          this.atScalar = false;
          yield* this.step();
          this.offset += source.length;
          return;
        }
        const type = cst.tokenType(source);
        if (!type) {
          const message = `Not a YAML token: ${source}`;
          yield* this.pop({ type: "error", offset: this.offset, message, source });
          this.offset += source.length;
        } else if (type === "scalar") {
          this.atNewLine = false;
          this.atScalar = true;
          this.type = "scalar";
        } else {
          this.type = type;
          yield* this.step();
          switch (type) {
            case "newline":
              this.atNewLine = true;
              this.indent = 0;
              if (this.onNewLine)
                this.onNewLine(this.offset + source.length);
              break;
            case "space":
              if (this.atNewLine && source[0] === " ")
                this.indent += source.length;
              break;
            case "explicit-key-ind":
            case "map-value-ind":
            case "seq-item-ind":
              if (this.atNewLine)
                this.indent += source.length;
              break;
            case "doc-mode":
            case "flow-error-end":
              return;
            default:
              this.atNewLine = false;
          }
          this.offset += source.length;
        }
      }
      /** Call at end of input to push out any remaining constructions */
      *end() {
        while (this.stack.length > 0)
          yield* this.pop();
      }
      get sourceToken() {
        const st = {
          type: this.type,
          offset: this.offset,
          indent: this.indent,
          source: this.source
        };
        return st;
      }
      *step() {
        const top = this.peek(1);
        if (this.type === "doc-end" && top?.type !== "doc-end") {
          while (this.stack.length > 0)
            yield* this.pop();
          this.stack.push({
            type: "doc-end",
            offset: this.offset,
            source: this.source
          });
          return;
        }
        if (!top)
          return yield* this.stream();
        switch (top.type) {
          case "document":
            return yield* this.document(top);
          case "alias":
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return yield* this.scalar(top);
          case "block-scalar":
            return yield* this.blockScalar(top);
          case "block-map":
            return yield* this.blockMap(top);
          case "block-seq":
            return yield* this.blockSequence(top);
          case "flow-collection":
            return yield* this.flowCollection(top);
          case "doc-end":
            return yield* this.documentEnd(top);
        }
        yield* this.pop();
      }
      peek(n) {
        return this.stack[this.stack.length - n];
      }
      *pop(error) {
        const token = error ?? this.stack.pop();
        if (!token) {
          const message = "Tried to pop an empty stack";
          yield { type: "error", offset: this.offset, source: "", message };
        } else if (this.stack.length === 0) {
          yield token;
        } else {
          const top = this.peek(1);
          if (token.type === "block-scalar") {
            token.indent = "indent" in top ? top.indent : 0;
          } else if (token.type === "flow-collection" && top.type === "document") {
            token.indent = 0;
          }
          if (token.type === "flow-collection")
            fixFlowSeqItems(token);
          switch (top.type) {
            case "document":
              top.value = token;
              break;
            case "block-scalar":
              top.props.push(token);
              break;
            case "block-map": {
              const it = top.items[top.items.length - 1];
              if (it.value) {
                top.items.push({ start: [], key: token, sep: [] });
                this.onKeyLine = true;
                return;
              } else if (it.sep) {
                it.value = token;
              } else {
                Object.assign(it, { key: token, sep: [] });
                this.onKeyLine = !it.explicitKey;
                return;
              }
              break;
            }
            case "block-seq": {
              const it = top.items[top.items.length - 1];
              if (it.value)
                top.items.push({ start: [], value: token });
              else
                it.value = token;
              break;
            }
            case "flow-collection": {
              const it = top.items[top.items.length - 1];
              if (!it || it.value)
                top.items.push({ start: [], key: token, sep: [] });
              else if (it.sep)
                it.value = token;
              else
                Object.assign(it, { key: token, sep: [] });
              return;
            }
            /* istanbul ignore next should not happen */
            default:
              yield* this.pop();
              yield* this.pop(token);
          }
          if ((top.type === "document" || top.type === "block-map" || top.type === "block-seq") && (token.type === "block-map" || token.type === "block-seq")) {
            const last = token.items[token.items.length - 1];
            if (last && !last.sep && !last.value && last.start.length > 0 && findNonEmptyIndex(last.start) === -1 && (token.indent === 0 || last.start.every((st) => st.type !== "comment" || st.indent < token.indent))) {
              if (top.type === "document")
                top.end = last.start;
              else
                top.items.push({ start: last.start });
              token.items.splice(-1, 1);
            }
          }
        }
      }
      *stream() {
        switch (this.type) {
          case "directive-line":
            yield { type: "directive", offset: this.offset, source: this.source };
            return;
          case "byte-order-mark":
          case "space":
          case "comment":
          case "newline":
            yield this.sourceToken;
            return;
          case "doc-mode":
          case "doc-start": {
            const doc = {
              type: "document",
              offset: this.offset,
              start: []
            };
            if (this.type === "doc-start")
              doc.start.push(this.sourceToken);
            this.stack.push(doc);
            return;
          }
        }
        yield {
          type: "error",
          offset: this.offset,
          message: `Unexpected ${this.type} token in YAML stream`,
          source: this.source
        };
      }
      *document(doc) {
        if (doc.value)
          return yield* this.lineEnd(doc);
        switch (this.type) {
          case "doc-start": {
            if (findNonEmptyIndex(doc.start) !== -1) {
              yield* this.pop();
              yield* this.step();
            } else
              doc.start.push(this.sourceToken);
            return;
          }
          case "anchor":
          case "tag":
          case "space":
          case "comment":
          case "newline":
            doc.start.push(this.sourceToken);
            return;
        }
        const bv = this.startBlockValue(doc);
        if (bv)
          this.stack.push(bv);
        else {
          yield {
            type: "error",
            offset: this.offset,
            message: `Unexpected ${this.type} token in YAML document`,
            source: this.source
          };
        }
      }
      *scalar(scalar) {
        if (this.type === "map-value-ind") {
          const prev = getPrevProps(this.peek(2));
          const start = getFirstKeyStartProps(prev);
          let sep;
          if (scalar.end) {
            sep = scalar.end;
            sep.push(this.sourceToken);
            delete scalar.end;
          } else
            sep = [this.sourceToken];
          const map = {
            type: "block-map",
            offset: scalar.offset,
            indent: scalar.indent,
            items: [{ start, key: scalar, sep }]
          };
          this.onKeyLine = true;
          this.stack[this.stack.length - 1] = map;
        } else
          yield* this.lineEnd(scalar);
      }
      *blockScalar(scalar) {
        switch (this.type) {
          case "space":
          case "comment":
          case "newline":
            scalar.props.push(this.sourceToken);
            return;
          case "scalar":
            scalar.source = this.source;
            this.atNewLine = true;
            this.indent = 0;
            if (this.onNewLine) {
              let nl = this.source.indexOf("\n") + 1;
              while (nl !== 0) {
                this.onNewLine(this.offset + nl);
                nl = this.source.indexOf("\n", nl) + 1;
              }
            }
            yield* this.pop();
            break;
          /* istanbul ignore next should not happen */
          default:
            yield* this.pop();
            yield* this.step();
        }
      }
      *blockMap(map) {
        const it = map.items[map.items.length - 1];
        switch (this.type) {
          case "newline":
            this.onKeyLine = false;
            if (it.value) {
              const end2 = "end" in it.value ? it.value.end : void 0;
              const last = Array.isArray(end2) ? end2[end2.length - 1] : void 0;
              if (last?.type === "comment")
                end2?.push(this.sourceToken);
              else
                map.items.push({ start: [this.sourceToken] });
            } else if (it.sep) {
              it.sep.push(this.sourceToken);
            } else {
              it.start.push(this.sourceToken);
            }
            return;
          case "space":
          case "comment":
            if (it.value) {
              map.items.push({ start: [this.sourceToken] });
            } else if (it.sep) {
              it.sep.push(this.sourceToken);
            } else {
              if (this.atIndentedComment(it.start, map.indent)) {
                const prev = map.items[map.items.length - 2];
                const end2 = prev?.value?.end;
                if (Array.isArray(end2)) {
                  arrayPushArray(end2, it.start);
                  end2.push(this.sourceToken);
                  map.items.pop();
                  return;
                }
              }
              it.start.push(this.sourceToken);
            }
            return;
        }
        if (this.indent >= map.indent) {
          const atMapIndent = !this.onKeyLine && this.indent === map.indent;
          const atNextItem = atMapIndent && (it.sep || it.explicitKey) && this.type !== "seq-item-ind";
          let start = [];
          if (atNextItem && it.sep && !it.value) {
            const nl = [];
            for (let i = 0; i < it.sep.length; ++i) {
              const st = it.sep[i];
              switch (st.type) {
                case "newline":
                  nl.push(i);
                  break;
                case "space":
                  break;
                case "comment":
                  if (st.indent > map.indent)
                    nl.length = 0;
                  break;
                default:
                  nl.length = 0;
              }
            }
            if (nl.length >= 2)
              start = it.sep.splice(nl[1]);
          }
          switch (this.type) {
            case "anchor":
            case "tag":
              if (atNextItem || it.value) {
                start.push(this.sourceToken);
                map.items.push({ start });
                this.onKeyLine = true;
              } else if (it.sep) {
                it.sep.push(this.sourceToken);
              } else {
                it.start.push(this.sourceToken);
              }
              return;
            case "explicit-key-ind":
              if (!it.sep && !it.explicitKey) {
                it.start.push(this.sourceToken);
                it.explicitKey = true;
              } else if (atNextItem || it.value) {
                start.push(this.sourceToken);
                map.items.push({ start, explicitKey: true });
              } else {
                this.stack.push({
                  type: "block-map",
                  offset: this.offset,
                  indent: this.indent,
                  items: [{ start: [this.sourceToken], explicitKey: true }]
                });
              }
              this.onKeyLine = true;
              return;
            case "map-value-ind":
              if (it.explicitKey) {
                if (!it.sep) {
                  if (includesToken(it.start, "newline")) {
                    Object.assign(it, { key: null, sep: [this.sourceToken] });
                  } else {
                    const start2 = getFirstKeyStartProps(it.start);
                    this.stack.push({
                      type: "block-map",
                      offset: this.offset,
                      indent: this.indent,
                      items: [{ start: start2, key: null, sep: [this.sourceToken] }]
                    });
                  }
                } else if (it.value) {
                  map.items.push({ start: [], key: null, sep: [this.sourceToken] });
                } else if (includesToken(it.sep, "map-value-ind")) {
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start, key: null, sep: [this.sourceToken] }]
                  });
                } else if (isFlowToken(it.key) && !includesToken(it.sep, "newline")) {
                  const start2 = getFirstKeyStartProps(it.start);
                  const key = it.key;
                  const sep = it.sep;
                  sep.push(this.sourceToken);
                  delete it.key;
                  delete it.sep;
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start: start2, key, sep }]
                  });
                } else if (start.length > 0) {
                  it.sep = it.sep.concat(start, this.sourceToken);
                } else {
                  it.sep.push(this.sourceToken);
                }
              } else {
                if (!it.sep) {
                  Object.assign(it, { key: null, sep: [this.sourceToken] });
                } else if (it.value || atNextItem) {
                  map.items.push({ start, key: null, sep: [this.sourceToken] });
                } else if (includesToken(it.sep, "map-value-ind")) {
                  this.stack.push({
                    type: "block-map",
                    offset: this.offset,
                    indent: this.indent,
                    items: [{ start: [], key: null, sep: [this.sourceToken] }]
                  });
                } else {
                  it.sep.push(this.sourceToken);
                }
              }
              this.onKeyLine = true;
              return;
            case "alias":
            case "scalar":
            case "single-quoted-scalar":
            case "double-quoted-scalar": {
              const fs = this.flowScalar(this.type);
              if (atNextItem || it.value) {
                map.items.push({ start, key: fs, sep: [] });
                this.onKeyLine = true;
              } else if (it.sep) {
                this.stack.push(fs);
              } else {
                Object.assign(it, { key: fs, sep: [] });
                this.onKeyLine = true;
              }
              return;
            }
            default: {
              const bv = this.startBlockValue(map);
              if (bv) {
                if (bv.type === "block-seq") {
                  if (!it.explicitKey && it.sep && !includesToken(it.sep, "newline")) {
                    yield* this.pop({
                      type: "error",
                      offset: this.offset,
                      message: "Unexpected block-seq-ind on same line with key",
                      source: this.source
                    });
                    return;
                  }
                } else if (atMapIndent) {
                  map.items.push({ start });
                }
                this.stack.push(bv);
                return;
              }
            }
          }
        }
        yield* this.pop();
        yield* this.step();
      }
      *blockSequence(seq) {
        const it = seq.items[seq.items.length - 1];
        switch (this.type) {
          case "newline":
            if (it.value) {
              const end2 = "end" in it.value ? it.value.end : void 0;
              const last = Array.isArray(end2) ? end2[end2.length - 1] : void 0;
              if (last?.type === "comment")
                end2?.push(this.sourceToken);
              else
                seq.items.push({ start: [this.sourceToken] });
            } else
              it.start.push(this.sourceToken);
            return;
          case "space":
          case "comment":
            if (it.value)
              seq.items.push({ start: [this.sourceToken] });
            else {
              if (this.atIndentedComment(it.start, seq.indent)) {
                const prev = seq.items[seq.items.length - 2];
                const end2 = prev?.value?.end;
                if (Array.isArray(end2)) {
                  arrayPushArray(end2, it.start);
                  end2.push(this.sourceToken);
                  seq.items.pop();
                  return;
                }
              }
              it.start.push(this.sourceToken);
            }
            return;
          case "anchor":
          case "tag":
            if (it.value || this.indent <= seq.indent)
              break;
            it.start.push(this.sourceToken);
            return;
          case "seq-item-ind":
            if (this.indent !== seq.indent)
              break;
            if (it.value || includesToken(it.start, "seq-item-ind"))
              seq.items.push({ start: [this.sourceToken] });
            else
              it.start.push(this.sourceToken);
            return;
        }
        if (this.indent > seq.indent) {
          const bv = this.startBlockValue(seq);
          if (bv) {
            this.stack.push(bv);
            return;
          }
        }
        yield* this.pop();
        yield* this.step();
      }
      *flowCollection(fc) {
        const it = fc.items[fc.items.length - 1];
        if (this.type === "flow-error-end") {
          let top;
          do {
            yield* this.pop();
            top = this.peek(1);
          } while (top?.type === "flow-collection");
        } else if (fc.end.length === 0) {
          switch (this.type) {
            case "comma":
            case "explicit-key-ind":
              if (!it || it.sep)
                fc.items.push({ start: [this.sourceToken] });
              else
                it.start.push(this.sourceToken);
              return;
            case "map-value-ind":
              if (!it || it.value)
                fc.items.push({ start: [], key: null, sep: [this.sourceToken] });
              else if (it.sep)
                it.sep.push(this.sourceToken);
              else
                Object.assign(it, { key: null, sep: [this.sourceToken] });
              return;
            case "space":
            case "comment":
            case "newline":
            case "anchor":
            case "tag":
              if (!it || it.value)
                fc.items.push({ start: [this.sourceToken] });
              else if (it.sep)
                it.sep.push(this.sourceToken);
              else
                it.start.push(this.sourceToken);
              return;
            case "alias":
            case "scalar":
            case "single-quoted-scalar":
            case "double-quoted-scalar": {
              const fs = this.flowScalar(this.type);
              if (!it || it.value)
                fc.items.push({ start: [], key: fs, sep: [] });
              else if (it.sep)
                this.stack.push(fs);
              else
                Object.assign(it, { key: fs, sep: [] });
              return;
            }
            case "flow-map-end":
            case "flow-seq-end":
              fc.end.push(this.sourceToken);
              return;
          }
          const bv = this.startBlockValue(fc);
          if (bv)
            this.stack.push(bv);
          else {
            yield* this.pop();
            yield* this.step();
          }
        } else {
          const parent = this.peek(2);
          if (parent.type === "block-map" && (this.type === "map-value-ind" && parent.indent === fc.indent || this.type === "newline" && !parent.items[parent.items.length - 1].sep)) {
            yield* this.pop();
            yield* this.step();
          } else if (this.type === "map-value-ind" && parent.type !== "flow-collection") {
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            fixFlowSeqItems(fc);
            const sep = fc.end.splice(1, fc.end.length);
            sep.push(this.sourceToken);
            const map = {
              type: "block-map",
              offset: fc.offset,
              indent: fc.indent,
              items: [{ start, key: fc, sep }]
            };
            this.onKeyLine = true;
            this.stack[this.stack.length - 1] = map;
          } else {
            yield* this.lineEnd(fc);
          }
        }
      }
      flowScalar(type) {
        if (this.onNewLine) {
          let nl = this.source.indexOf("\n") + 1;
          while (nl !== 0) {
            this.onNewLine(this.offset + nl);
            nl = this.source.indexOf("\n", nl) + 1;
          }
        }
        return {
          type,
          offset: this.offset,
          indent: this.indent,
          source: this.source
        };
      }
      startBlockValue(parent) {
        switch (this.type) {
          case "alias":
          case "scalar":
          case "single-quoted-scalar":
          case "double-quoted-scalar":
            return this.flowScalar(this.type);
          case "block-scalar-header":
            return {
              type: "block-scalar",
              offset: this.offset,
              indent: this.indent,
              props: [this.sourceToken],
              source: ""
            };
          case "flow-map-start":
          case "flow-seq-start":
            return {
              type: "flow-collection",
              offset: this.offset,
              indent: this.indent,
              start: this.sourceToken,
              items: [],
              end: []
            };
          case "seq-item-ind":
            return {
              type: "block-seq",
              offset: this.offset,
              indent: this.indent,
              items: [{ start: [this.sourceToken] }]
            };
          case "explicit-key-ind": {
            this.onKeyLine = true;
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            start.push(this.sourceToken);
            return {
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [{ start, explicitKey: true }]
            };
          }
          case "map-value-ind": {
            this.onKeyLine = true;
            const prev = getPrevProps(parent);
            const start = getFirstKeyStartProps(prev);
            return {
              type: "block-map",
              offset: this.offset,
              indent: this.indent,
              items: [{ start, key: null, sep: [this.sourceToken] }]
            };
          }
        }
        return null;
      }
      atIndentedComment(start, indent) {
        if (this.type !== "comment")
          return false;
        if (this.indent <= indent)
          return false;
        return start.every((st) => st.type === "newline" || st.type === "space");
      }
      *documentEnd(docEnd) {
        if (this.type !== "doc-mode") {
          if (docEnd.end)
            docEnd.end.push(this.sourceToken);
          else
            docEnd.end = [this.sourceToken];
          if (this.type === "newline")
            yield* this.pop();
        }
      }
      *lineEnd(token) {
        switch (this.type) {
          case "comma":
          case "doc-start":
          case "doc-end":
          case "flow-seq-end":
          case "flow-map-end":
          case "map-value-ind":
            yield* this.pop();
            yield* this.step();
            break;
          case "newline":
            this.onKeyLine = false;
          // fallthrough
          case "space":
          case "comment":
          default:
            if (token.end)
              token.end.push(this.sourceToken);
            else
              token.end = [this.sourceToken];
            if (this.type === "newline")
              yield* this.pop();
        }
      }
    };
    exports.Parser = Parser;
  }
});

// node_modules/yaml/dist/public-api.js
var require_public_api = __commonJS({
  "node_modules/yaml/dist/public-api.js"(exports) {
    "use strict";
    var composer = require_composer();
    var Document = require_Document();
    var errors = require_errors();
    var log = require_log();
    var identity = require_identity();
    var lineCounter = require_line_counter();
    var parser = require_parser();
    function parseOptions(options) {
      const prettyErrors = options.prettyErrors !== false;
      const lineCounter$1 = options.lineCounter || prettyErrors && new lineCounter.LineCounter() || null;
      return { lineCounter: lineCounter$1, prettyErrors };
    }
    function parseAllDocuments(source, options = {}) {
      const { lineCounter: lineCounter2, prettyErrors } = parseOptions(options);
      const parser$1 = new parser.Parser(lineCounter2?.addNewLine);
      const composer$1 = new composer.Composer(options);
      const docs = Array.from(composer$1.compose(parser$1.parse(source)));
      if (prettyErrors && lineCounter2)
        for (const doc of docs) {
          doc.errors.forEach(errors.prettifyError(source, lineCounter2));
          doc.warnings.forEach(errors.prettifyError(source, lineCounter2));
        }
      if (docs.length > 0)
        return docs;
      return Object.assign([], { empty: true }, composer$1.streamInfo());
    }
    function parseDocument2(source, options = {}) {
      const { lineCounter: lineCounter2, prettyErrors } = parseOptions(options);
      const parser$1 = new parser.Parser(lineCounter2?.addNewLine);
      const composer$1 = new composer.Composer(options);
      let doc = null;
      for (const _doc of composer$1.compose(parser$1.parse(source), true, source.length)) {
        if (!doc)
          doc = _doc;
        else if (doc.options.logLevel !== "silent") {
          doc.errors.push(new errors.YAMLParseError(_doc.range.slice(0, 2), "MULTIPLE_DOCS", "Source contains multiple documents; please use YAML.parseAllDocuments()"));
          break;
        }
      }
      if (prettyErrors && lineCounter2) {
        doc.errors.forEach(errors.prettifyError(source, lineCounter2));
        doc.warnings.forEach(errors.prettifyError(source, lineCounter2));
      }
      return doc;
    }
    function parse2(src, reviver, options) {
      let _reviver = void 0;
      if (typeof reviver === "function") {
        _reviver = reviver;
      } else if (options === void 0 && reviver && typeof reviver === "object") {
        options = reviver;
      }
      const doc = parseDocument2(src, options);
      if (!doc)
        return null;
      doc.warnings.forEach((warning) => log.warn(doc.options.logLevel, warning));
      if (doc.errors.length > 0) {
        if (doc.options.logLevel !== "silent")
          throw doc.errors[0];
        else
          doc.errors = [];
      }
      return doc.toJS(Object.assign({ reviver: _reviver }, options));
    }
    function stringify(value, replacer, options) {
      let _replacer = null;
      if (typeof replacer === "function" || Array.isArray(replacer)) {
        _replacer = replacer;
      } else if (options === void 0 && replacer) {
        options = replacer;
      }
      if (typeof options === "string")
        options = options.length;
      if (typeof options === "number") {
        const indent = Math.round(options);
        options = indent < 1 ? void 0 : indent > 8 ? { indent: 8 } : { indent };
      }
      if (value === void 0) {
        const { keepUndefined } = options ?? replacer ?? {};
        if (!keepUndefined)
          return void 0;
      }
      if (identity.isDocument(value) && !_replacer)
        return value.toString(options);
      return new Document.Document(value, _replacer, options).toString(options);
    }
    exports.parse = parse2;
    exports.parseAllDocuments = parseAllDocuments;
    exports.parseDocument = parseDocument2;
    exports.stringify = stringify;
  }
});

// node_modules/yaml/dist/index.js
var require_dist = __commonJS({
  "node_modules/yaml/dist/index.js"(exports) {
    "use strict";
    var composer = require_composer();
    var Document = require_Document();
    var Schema = require_Schema();
    var errors = require_errors();
    var Alias = require_Alias();
    var identity = require_identity();
    var Pair = require_Pair();
    var Scalar = require_Scalar();
    var YAMLMap = require_YAMLMap();
    var YAMLSeq = require_YAMLSeq();
    var cst = require_cst();
    var lexer = require_lexer();
    var lineCounter = require_line_counter();
    var parser = require_parser();
    var publicApi = require_public_api();
    var visit = require_visit();
    exports.Composer = composer.Composer;
    exports.Document = Document.Document;
    exports.Schema = Schema.Schema;
    exports.YAMLError = errors.YAMLError;
    exports.YAMLParseError = errors.YAMLParseError;
    exports.YAMLWarning = errors.YAMLWarning;
    exports.Alias = Alias.Alias;
    exports.isAlias = identity.isAlias;
    exports.isCollection = identity.isCollection;
    exports.isDocument = identity.isDocument;
    exports.isMap = identity.isMap;
    exports.isNode = identity.isNode;
    exports.isPair = identity.isPair;
    exports.isScalar = identity.isScalar;
    exports.isSeq = identity.isSeq;
    exports.Pair = Pair.Pair;
    exports.Scalar = Scalar.Scalar;
    exports.YAMLMap = YAMLMap.YAMLMap;
    exports.YAMLSeq = YAMLSeq.YAMLSeq;
    exports.CST = cst;
    exports.Lexer = lexer.Lexer;
    exports.LineCounter = lineCounter.LineCounter;
    exports.Parser = parser.Parser;
    exports.parse = publicApi.parse;
    exports.parseAllDocuments = publicApi.parseAllDocuments;
    exports.parseDocument = publicApi.parseDocument;
    exports.stringify = publicApi.stringify;
    exports.visit = visit.visit;
    exports.visitAsync = visit.visitAsync;
  }
});

// packages/kube/src/yaml-flow.ts
function indentFlow(text3) {
  const out = [];
  let open = { brackets: 0, quote: "" };
  let blockIndent = -1;
  for (const line of text3.split("\n")) {
    const isInside = open.brackets > 0 || open.quote !== "";
    const indent = line.search(/\S/);
    if (!isInside && blockIndent >= 0) {
      if (indent < 0 || indent > blockIndent) {
        out.push(line);
        continue;
      }
      blockIndent = -1;
    }
    out.push(isInside ? MARGIN + line : line);
    open = scanLine(line, open);
    if (open.brackets === 0 && open.quote === "" && BLOCK_SCALAR.test(line)) blockIndent = Math.max(indent, 0);
  }
  return out.join("\n");
}
function scanLine(line, before) {
  let { brackets, quote } = before;
  let isTokenStart = true;
  for (let i = 0; i < line.length; i++) {
    const char = line[i];
    if (quote !== "") {
      if (quote === '"' && char === "\\") i++;
      else if (char === quote) quote = "";
      continue;
    }
    if (char === "#" && (i === 0 || /\s/.test(line[i - 1]))) break;
    if ((char === '"' || char === "'") && isTokenStart) quote = char;
    else if ((char === "[" || char === "{") && isTokenStart) brackets++;
    else if ((char === "]" || char === "}") && brackets > 0) brackets--;
    isTokenStart = startsToken(char, line[i - 1], line[i + 1], brackets > 0, isTokenStart);
  }
  return { brackets, quote };
}
function startsToken(char, before, after, isFlow, wasStart) {
  if (char === " " || char === "	") return wasStart || before === ":" || before === "-" && wasStart;
  if (isFlow) return "[{,:".includes(char);
  return (char === "-" || char === ":" || char === "?") && (after === " " || after === void 0) && (char === ":" || wasStart);
}
var MARGIN, BLOCK_SCALAR;
var init_yaml_flow = __esm({
  "packages/kube/src/yaml-flow.ts"() {
    "use strict";
    MARGIN = " ".repeat(80);
    BLOCK_SCALAR = /(?:^|[\s:-])[|>][-+0-9]*[ \t]*(?:#.*)?\r?$/;
  }
});

// packages/kube/src/go-float.ts
function formatGoFloat(value) {
  return formatShortest(value, value.toExponential());
}
function formatGoFloat32(value) {
  const rounded = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const candidate = rounded.toExponential(digits - 1);
    if (Math.fround(Number(candidate)) === rounded) return formatShortest(rounded, candidate);
  }
  return formatShortest(rounded, rounded.toExponential(8));
}
function formatShortest(value, exponential) {
  if (Number.isNaN(value)) return ".nan";
  if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf";
  const [mantissa, exponent] = exponential.split("e");
  const power = Number(exponent);
  if (power >= -4 && power < SHORTEST_PRECISION) return String(Number(exponential));
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
var SHORTEST_PRECISION;
var init_go_float = __esm({
  "packages/kube/src/go-float.ts"() {
    "use strict";
    SHORTEST_PRECISION = 6;
  }
});

// packages/kube/src/yaml-scalar.ts
function resolveScalar(text3, tag, isPlain2) {
  if (tag === void 0) return isPlain2 ? resolvePlain(text3) : { type: "str", value: text3 };
  const name = tag.startsWith(TAG_PREFIX) ? tag.slice(TAG_PREFIX.length) : tag;
  if (name === "binary") return { type: "str", value: decodeBinary(text3) };
  if (!RESOLVABLE.has(name) || name === "str") return { type: "str", value: text3 };
  const resolved = resolvePlain(text3);
  if (resolved.type === name) return resolved;
  if (name === "float" && resolved.type === "int") return { type: "float", value: Number(resolved.value) };
  throw new ScalarError(`cannot decode !!${resolved.type} \`${text3}\` as a !!${name}`);
}
function resolvePlain(text3) {
  const word = WORDS.get(text3);
  if (word) return word;
  const first = text3[0];
  if (first === ".") return resolveFloat(text3.replace(/(?<=\d)_(?=\d)/g, "")) ?? { type: "str", value: text3 };
  if (!/[-+0-9]/.test(first)) return { type: "str", value: text3 };
  if (TIMESTAMP.test(text3)) return { type: "timestamp", value: text3 };
  const digits = text3.replaceAll("_", "");
  return resolveInteger(digits) ?? resolveFloat(digits) ?? { type: "str", value: text3 };
}
function resolveInteger(digits) {
  const match = INTEGER.exec(digits);
  if (!match) return void 0;
  const [, sign, hex2, octal, binary, oldOctal, decimal] = match;
  const magnitude = hex2 !== void 0 ? BigInt(`0x${hex2}`) : binary !== void 0 ? BigInt(`0b${binary}`) : decimal !== void 0 ? BigInt(decimal) : BigInt(`0o${octal ?? oldOctal}`);
  const value = sign === "-" ? -magnitude : magnitude;
  if (value < LEAST_INT642 || value > (sign === "" ? GREATEST_UINT64 : GREATEST_INT642)) return void 0;
  return { type: "int", value };
}
function resolveFloat(text3) {
  if (!FLOAT.test(text3)) return void 0;
  const value = Number(text3);
  return Number.isFinite(value) ? { type: "float", value } : void 0;
}
function decodeBinary(text3) {
  const compact = text3.replace(/[\r\n]/g, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) {
    throw new ScalarError("!!binary value contains invalid base64 data");
  }
  return Buffer.from(compact, "base64").toString("utf8");
}
var ScalarError, TAG_PREFIX, RESOLVABLE, WORDS, spell, TIMESTAMP, FLOAT, INTEGER, LEAST_INT642, GREATEST_UINT64, GREATEST_INT642;
var init_yaml_scalar = __esm({
  "packages/kube/src/yaml-scalar.ts"() {
    "use strict";
    ScalarError = class extends Error {
    };
    TAG_PREFIX = "tag:yaml.org,2002:";
    RESOLVABLE = /* @__PURE__ */ new Set(["str", "bool", "int", "float", "null", "timestamp"]);
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
    TIMESTAMP = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/;
    FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
    INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9]\d*))$/;
    LEAST_INT642 = -(2n ** 63n);
    GREATEST_UINT64 = 2n ** 64n - 1n;
    GREATEST_INT642 = 2n ** 63n - 1n;
  }
});

// packages/kube/src/yaml-value.ts
function convertDocument(document, text3, lines) {
  const converter = new Converter(text3, lines);
  converter.linkAliases(document.contents);
  const value = document.contents === null ? null : converter.convert(document.contents);
  return { value, duplicateKeys: converter.duplicateKeys };
}
function allowedAliasRatio(nodes) {
  if (nodes <= SMALL_DOCUMENT) return 0.99;
  if (nodes >= LARGE_DOCUMENT) return 0.1;
  return 0.99 - 0.89 * (nodes - SMALL_DOCUMENT) / (LARGE_DOCUMENT - SMALL_DOCUMENT);
}
function pairsOf(mapping) {
  return mapping.items;
}
function isMergeKey(node) {
  if (!node || !(0, import_yaml.isScalar)(node) || node.value !== "<<") return false;
  return node.tag === void 0 ? node.type === "PLAIN" : node.tag === "tag:yaml.org,2002:merge";
}
function toJsonValue(scalar) {
  if (scalar.type === "int") return toJsonNumber(scalar.value);
  if (scalar.type !== "float") return scalar.value;
  if (!Number.isFinite(scalar.value)) {
    const shown = Number.isNaN(scalar.value) ? "NaN" : scalar.value > 0 ? "+Inf" : "-Inf";
    throw new JsonMismatch(`json: unsupported value: ${shown}`);
  }
  const digits = String(scalar.value);
  return /^-?\d+$/.test(digits) ? toJsonNumber(BigInt(digits)) : scalar.value;
}
function toJsonNumber(value) {
  const number = Number(value);
  return Number.isSafeInteger(number) || BigInt.asIntN(64, value) !== value ? number : value;
}
function describe(value) {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return goQuote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(describe).join(", ")}}`;
  if (typeof value === "object") {
    const fields2 = Object.entries(value).map(([key, field]) => `${goQuote(key)}:${describe(field)}`);
    return `map[interface {}]interface {}{${fields2.join(", ")}}`;
  }
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}
var import_yaml, YamlValueError, JsonMismatch, ALIASES_BEFORE_CHECK, NODES_BEFORE_CHECK, SMALL_DOCUMENT, LARGE_DOCUMENT, Converter, GREATEST_INT643;
var init_yaml_value = __esm({
  "packages/kube/src/yaml-value.ts"() {
    "use strict";
    import_yaml = __toESM(require_dist(), 1);
    init_go_float();
    init_go_quote();
    init_yaml_scalar();
    YamlValueError = class extends Error {
    };
    JsonMismatch = class extends Error {
    };
    ALIASES_BEFORE_CHECK = 100;
    NODES_BEFORE_CHECK = 1e3;
    SMALL_DOCUMENT = 4e5;
    LARGE_DOCUMENT = 4e6;
    Converter = class {
      duplicateKeys = [];
      #text;
      #lines;
      #targets = /* @__PURE__ */ new Map();
      /** Aliases that are being followed: one that leads to itself never ends. */
      #following = /* @__PURE__ */ new Set();
      #nodes = 0;
      #aliased = 0;
      constructor(text3, lines) {
        this.#text = text3;
        this.#lines = lines;
      }
      /** An alias means the nearest anchor of its name before it, also when the name is used again later. */
      linkAliases(root) {
        const anchors = /* @__PURE__ */ new Map();
        const waiting = [root];
        while (waiting.length > 0) {
          const node = waiting.pop();
          if (!node) continue;
          if ((0, import_yaml.isAlias)(node)) {
            const target = anchors.get(node.source);
            if (!target) throw new YamlValueError(`unknown anchor '${node.source}' referenced`);
            this.#targets.set(node, target);
            continue;
          }
          if (((0, import_yaml.isScalar)(node) || (0, import_yaml.isMap)(node) || (0, import_yaml.isSeq)(node)) && node.anchor) anchors.set(node.anchor, node);
          const children = (0, import_yaml.isMap)(node) ? pairsOf(node).flatMap(({ key, value }) => [key, value]) : (0, import_yaml.isSeq)(node) ? node.items : [];
          for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i]);
        }
      }
      convert(node) {
        this.#count();
        if (!node) return null;
        if ((0, import_yaml.isAlias)(node)) return this.#follow(node, (target2) => this.convert(target2));
        if ((0, import_yaml.isScalar)(node)) return toJsonValue(this.#resolve(node));
        if ((0, import_yaml.isSeq)(node)) return node.items.map((item) => this.convert(item));
        const target = { object: {}, keys: /* @__PURE__ */ new Set() };
        this.#fill(target, node);
        return target.object;
      }
      #fill(target, mapping) {
        for (const pair of pairsOf(mapping)) {
          if (isMergeKey(pair.key)) this.#merge(target, pair.value);
          else this.#setField(target, this.#keyOf(pair.key, pair.value), pair.value);
        }
      }
      /** What is merged overrides what stands above it and is overridden by what stands below. */
      #merge(target, node) {
        if (node && (0, import_yaml.isSeq)(node)) {
          for (const item of node.items.toReversed()) this.#mergeOne(target, item);
        } else {
          this.#mergeOne(target, node);
        }
      }
      #mergeOne(target, node) {
        const source = node && (0, import_yaml.isAlias)(node) ? this.#targets.get(node) : node;
        if (!source || !(0, import_yaml.isMap)(source)) {
          throw new YamlValueError("map merge requires map or sequence of maps as the value");
        }
        this.#count();
        if (node && (0, import_yaml.isAlias)(node)) {
          this.#follow(node, () => {
            this.#count();
            this.#fill(target, source);
          });
        } else {
          this.#fill(target, source);
        }
      }
      #setField({ object, keys }, { text: text3, shown }, node) {
        const value = this.convert(node);
        if (keys.has(shown)) this.duplicateKeys.push(`line ${this.#lineOf(node)}: key ${shown} already set in map`);
        keys.add(shown);
        Object.defineProperty(object, text3, { value, enumerable: true, configurable: true, writable: true });
      }
      #keyOf(node, valueNode) {
        this.#count();
        if (node && (0, import_yaml.isAlias)(node)) return this.#follow(node, (target) => this.#keyOf(target, valueNode));
        if (node && !(0, import_yaml.isScalar)(node)) throw new YamlValueError(`invalid map key: ${describe(this.convert(node))}`);
        const resolved = node ? this.#resolve(node) : { type: "null", value: null };
        switch (resolved.type) {
          case "str":
          case "timestamp":
            return { text: resolved.value, shown: goQuote(resolved.value) };
          case "int":
            if (resolved.value > GREATEST_INT643) break;
            return { text: String(resolved.value), shown: String(resolved.value) };
          case "float":
            return { text: formatGoFloat32(resolved.value), shown: formatGoFloat(resolved.value) };
          case "bool":
            return { text: String(resolved.value), shown: String(resolved.value) };
        }
        const [type, key] = resolved.type === "null" ? ["%!s(<nil>)", "<nil>"] : ["uint64", `0x${resolved.value.toString(16)}`];
        throw new JsonMismatch(
          `unsupported map key of type: ${type}, key: ${key}, value: ${describe(this.convert(valueNode))}`
        );
      }
      #resolve(node) {
        try {
          const text3 = this.#textOf(node);
          return resolveScalar(text3, node.tag, node.type === "PLAIN" || node.type === void 0);
        } catch (thrown) {
          if (thrown instanceof ScalarError) throw new YamlValueError(thrown.message);
          throw thrown;
        }
      }
      #textOf({ value, type, range }) {
        const text3 = typeof value === "string" ? value : "";
        const [start, end2] = range ?? [0, 0];
        if (type === "QUOTE_DOUBLE" && /(?<!\\)(?:\\\\)*\\\//.test(this.#text.slice(start, end2))) {
          throw new YamlValueError("found unknown escape character");
        }
        const isCutOff = end2 >= this.#text.length && !this.#text.endsWith("\n");
        return isCutOff && type?.startsWith("BLOCK") ? text3.replace(/\n$/, "") : text3;
      }
      #follow(alias, then) {
        if (this.#following.has(alias)) throw new YamlValueError(`anchor '${alias.source}' value contains itself`);
        this.#following.add(alias);
        const result = then(this.#targets.get(alias));
        this.#following.delete(alias);
        return result;
      }
      #count() {
        this.#nodes++;
        if (this.#following.size > 0) this.#aliased++;
        if (this.#aliased > ALIASES_BEFORE_CHECK && this.#nodes > NODES_BEFORE_CHECK && this.#aliased / this.#nodes > allowedAliasRatio(this.#nodes)) {
          throw new YamlValueError("document contains excessive aliasing");
        }
      }
      #lineOf(node) {
        return this.#lines.linePos(node?.range?.[0] ?? 0).line;
      }
    };
    GREATEST_INT643 = 2n ** 63n - 1n;
  }
});

// packages/kube/src/yaml-reader.ts
var yaml_reader_exports = {};
__export(yaml_reader_exports, {
  locateInJson: () => locateInJson,
  readDocument: () => readDocument
});
function readDocument(text3, firstLine) {
  try {
    if (FORBIDDEN_CHARACTER.test(text3)) throw new YamlFailure("yaml: control characters are not allowed");
    if (isTooDeep(text3)) throw new YamlFailure("yaml: exceeded max depth of 10000");
    const { document, parsed, lines } = parseLeniently(text3);
    refuseDirectives(document);
    const error = document.errors.find(isError);
    if (error) throw syntaxFailure(error, lines, firstLine);
    return {
      ...convertDocument(document, parsed, lines),
      lineOf: (path2) => lineOfPath(document, path2, lines) + firstLine - 1
    };
  } catch (thrown) {
    if (thrown instanceof YamlValueError) throw new YamlFailure(`yaml: ${thrown.message}`);
    if (thrown instanceof JsonMismatch) throw new YamlFailure(thrown.message);
    if (thrown instanceof RangeError) throw new YamlFailure("yaml: exceeded max depth of 10000");
    throw thrown;
  }
}
function locateInJson(text3, firstLine) {
  const lines = new import_yaml2.LineCounter();
  const document = parse(text3, lines);
  return (path2) => lineOfPath(document, path2, lines) + firstLine - 1;
}
function isTooDeep(text3) {
  let depth = 0;
  for (const [bracket] of text3.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > DEEPEST_NESTING2) return true;
  }
  return LONGEST_LINE_OF_INDICATORS.test(text3);
}
function parse(text3, lineCounter) {
  return (0, import_yaml2.parseDocument)(text3, {
    version: "1.1",
    schema: "failsafe",
    resolveKnownTags: false,
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter
  });
}
function parseLeniently(text3) {
  const lines = new import_yaml2.LineCounter();
  const document = parse(text3, lines);
  const indented = document.errors.some(isError) ? indentFlow(text3) : text3;
  if (indented === text3) return { document, parsed: text3, lines };
  const newLines = new import_yaml2.LineCounter();
  return { document: parse(indented, newLines), parsed: indented, lines: newLines };
}
function isError({ code, message }) {
  return code !== "MULTIPLE_DOCS" && !message.startsWith("Comments must be separated");
}
function refuseDirectives(document) {
  if (document.warnings.some(({ code, message }) => code === "BAD_DIRECTIVE" && !message.includes("version"))) {
    throw new YamlFailure("yaml: found unknown directive name");
  }
  const { explicit, version } = document.directives.yaml;
  if (document.warnings.some(({ code }) => code === "BAD_DIRECTIVE") || explicit && version !== "1.1") {
    throw new YamlFailure("yaml: found incompatible YAML document");
  }
}
function lineOfPath(document, path2, lines) {
  let node = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const step of path2) {
    const found = childOf(document, node, step);
    if (!found) break;
    offset = found.offset;
    node = found.node;
  }
  return Math.max(1, lines.linePos(offset).line);
}
function childOf(document, node, step) {
  const target = (0, import_yaml2.isAlias)(node) ? node.resolve(document) ?? null : node;
  if ((0, import_yaml2.isSeq)(target)) {
    const item = target.items[Number(step)];
    return item && { node: item, offset: item.range?.[0] ?? 0 };
  }
  if (!(0, import_yaml2.isMap)(target)) return void 0;
  const pair = target.items.findLast(({ key }) => (0, import_yaml2.isScalar)(key) && String(key.value) === String(step));
  return pair && { node: pair.value, offset: pair.key.range?.[0] ?? 0 };
}
function syntaxFailure(error, lines, firstLine) {
  const { line } = lines.linePos(error.pos[0]);
  const words = GO_WORDS[error.code] ?? error.message;
  return new YamlFailure(`yaml: ${line > 1 ? `line ${line}: ` : ""}${words}`, line + firstLine - 1);
}
var import_yaml2, FORBIDDEN_CHARACTER, DEEPEST_NESTING2, LONGEST_LINE_OF_INDICATORS, GO_WORDS;
var init_yaml_reader = __esm({
  "packages/kube/src/yaml-reader.ts"() {
    "use strict";
    import_yaml2 = __toESM(require_dist(), 1);
    init_yaml_failure();
    init_yaml_flow();
    init_yaml_value();
    FORBIDDEN_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
    DEEPEST_NESTING2 = 1e3;
    LONGEST_LINE_OF_INDICATORS = new RegExp(`(?:[-?:][ \\t]+){${DEEPEST_NESTING2}}`);
    GO_WORDS = {
      BLOCK_AS_IMPLICIT_KEY: "mapping values are not allowed in this context",
      TAB_AS_INDENT: "found character that cannot start any token",
      BAD_SCALAR_START: "found character that cannot start any token",
      BAD_DQ_ESCAPE: "found unknown escape character",
      BAD_ALIAS: "did not find expected alphabetic or numeric character",
      MULTIPLE_ANCHORS: "did not find expected node content",
      MULTILINE_IMPLICIT_KEY: "could not find expected ':'",
      KEY_OVER_1024_CHARS: "could not find expected ':'",
      MISSING_CHAR: "did not find expected key",
      BAD_INDENT: "did not find expected key"
    };
  }
});

// packages/tiphys/src/events-real-server.ts
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm as rm2, writeFile as writeFile2 } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";

// packages/kube/src/api-error.ts
init_src();
var ApiError = class extends Failure {
  status;
  /** The HTTP status code. (`code` is the code of the failure, as in every Failure.) */
  statusCode;
  constructor(status) {
    super("kube-api-error", { what: status.message ?? `the API server answered ${status.code ?? "with a failure"}` });
    this.status = status;
    this.statusCode = status.code ?? 500;
  }
  get reason() {
    return this.status.reason;
  }
  get details() {
    return this.status.details;
  }
  /** When the server says that trying again later may help: after how long. */
  get retryAfterSeconds() {
    return this.status.details?.retryAfterSeconds;
  }
};
var ConnectionFailure = class extends RetryableFailure {
  constructor(server2, cause) {
    super("kube-connection-failed", { what: `no answer from ${server2}`, why: describeCause(cause), cause });
  }
};
var UnknownKindFailure = class extends TerminalFailure {
  constructor({ apiVersion, kind }, unavailable = []) {
    const isUnavailable = unavailable.includes(apiVersion);
    super("kube-unknown-kind", {
      what: `the server does not know the kind ${kind} of ${apiVersion}`,
      ...isUnavailable && { why: `${apiVersion} did not answer discovery` },
      todo: isUnavailable ? `See why its API service is not available: kubectl get apiservices` : `Check the spelling, or install the CustomResourceDefinition that defines it`
    });
  }
};
var isExpired = (error) => hasReason(error, "Expired", 410);
function hasReason(error, reason, statusCode) {
  return error instanceof ApiError && (error.reason === reason || error.statusCode === statusCode);
}
function apiErrorFrom(answer) {
  const { status: code, headers, body } = answer;
  const retryAfter = Number(headers["retry-after"]);
  const hasRetryAfter = headers["retry-after"] !== void 0 && Number.isFinite(retryAfter);
  const status = isStatus(body) ? { ...body, code: body.code ?? code } : statusFor(code, body);
  if (hasRetryAfter && status.details?.retryAfterSeconds === void 0) {
    status.details = { ...status.details, retryAfterSeconds: retryAfter };
  }
  return new ApiError(status);
}
function isStatus(value) {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
function statusFor(code, body) {
  const text3 = typeof body === "string" ? body.trim().slice(0, 1e3) : "";
  const reason = REASONS[code];
  return {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    message: text3 === "" ? `the server answered ${code}${reason ? ` (${reason})` : ""}` : text3,
    ...reason !== void 0 && { reason },
    code
  };
}
var REASONS = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout"
};
function describeCause(cause) {
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    return cause.errors.map((error) => error instanceof Error ? error.message : String(error)).join(", ");
  }
  return cause.message;
}

// packages/kube/src/object.ts
function parseApiVersion(apiVersion) {
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
function formatApiVersion({ group, version }) {
  return group === "" ? version : `${group}/${version}`;
}

// packages/kube/src/credentials.ts
function fixedCredential(credential) {
  return { current: async () => credential, refused: () => {
  } };
}
function isSameCredential(a, b) {
  return a.authorization === b.authorization && isSameCertificate(a.certificate, b.certificate);
}
function isSameCertificate(a, b) {
  return a?.cert === b?.cert && a?.key === b?.key;
}

// packages/kube/src/http-transport.ts
init_src();
import http2 from "node:http";
import https2 from "node:https";
import { gunzip } from "node:zlib";

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
var numberPath = (steps) => steps.join("\0");
function decodeJson(text3) {
  return new Decoder(text3).decode();
}
function decodeJsonStream(text3) {
  const decoder = new Decoder(text3);
  const values = [];
  while (!decoder.isAtEnd()) values.push({ value: decoder.decodeNext(), end: decoder.position });
  return values;
}
var Decoder = class {
  #text;
  #at = 0;
  /** The containers around the current position, outermost first. A list, not recursion: nesting may be deep. */
  #open = [];
  #duplicates = /* @__PURE__ */ new Set();
  #overflowing;
  #numberTexts;
  constructor(text3) {
    this.#text = text3;
  }
  get position() {
    return this.#at;
  }
  isAtEnd() {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }
  decode() {
    const value = this.decodeNext();
    if (!this.isAtEnd()) throw this.#unexpected("after top-level value");
    if (this.#overflowing !== void 0) {
      throw new JsonFailure(`json: cannot unmarshal number ${this.#overflowing} into Go value of type float64`);
    }
    return { value, duplicateFields: [...this.#duplicates], numberTexts: this.#numberTexts };
  }
  decodeNext() {
    let value = this.#readValueOrOpen();
    for (let container = this.#open.at(-1); container; container = this.#open.at(-1)) {
      if (value !== OPENED) {
        this.#attach(container, value);
        if (!this.#readSeparator(container)) {
          this.#open.pop();
          value = container.value;
          continue;
        }
        if (container.type === "object") this.#readKey(container);
      }
      value = this.#readValueOrOpen();
    }
    return value;
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
  #attach(container, value) {
    if (container.type === "array") container.value.push(value);
    else setField(container.value, container.key, value);
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
    const key = this.#readString();
    if (Object.hasOwn(object.value, key) && this.#duplicates.size < MOST_DUPLICATES) {
      this.#duplicates.add(formatPath(this.#open, key));
    }
    object.key = key;
    this.#skipSpace();
    if (this.#text[this.#at] !== ":") throw this.#unexpected("after object key");
    this.#at++;
  }
  #readString() {
    const text3 = this.#text;
    let out = "";
    let from = ++this.#at;
    while (true) {
      const char = text3[this.#at];
      if (char === '"') {
        out += text3.slice(from, this.#at++);
        return out;
      }
      if (char === void 0 || char < " ") throw this.#unexpected("in string literal");
      if (char === "\\") {
        out += text3.slice(from, this.#at);
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
    const [word, value] = LITERALS[first];
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) throw this.#malformed(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
    return value;
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
    const literal = this.#text.slice(start, this.#at);
    if (!WHOLE.test(literal)) {
      this.#numberTexts ??= /* @__PURE__ */ new Map();
      this.#numberTexts.set(numberPath(this.#open.map(stepInto)), literal);
    }
    return this.#toNumber(literal);
  }
  #readDigits(where) {
    if (!isDigit(this.#text[this.#at])) throw this.#malformed(where);
    while (isDigit(this.#text[this.#at])) this.#at++;
  }
  #toNumber(literal) {
    const value = Number(literal);
    if (Number.isSafeInteger(value)) return value;
    if (WHOLE.test(literal) && literal.length <= 20) {
      const integer = BigInt(literal);
      if (integer >= LEAST_INT64 && integer <= GREATEST_INT64) return integer;
    }
    if (!Number.isFinite(value)) this.#overflowing ??= literal;
    return value;
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
var WHOLE = /^-?\d+$/;
var stepInto = (container) => container.type === "array" ? container.value.length : container.key;
var OPENED = /* @__PURE__ */ Symbol("a container begins");
var isDigit = (char) => char !== void 0 && char >= "0" && char <= "9";
var isSpace = (char) => char === " " || char === "\n" || char === "	" || char === "\r";
function setField(object, key, value) {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}
function formatPath(open, key) {
  let path2 = "";
  for (const container of open.slice(0, -1)) {
    if (container.type === "array") path2 += `[${container.value.length}]`;
    else path2 += path2 === "" ? container.key : `.${container.key}`;
  }
  return open.length === 1 ? key : `${path2}.${key}`;
}
function firstByte(rune) {
  return Buffer.from(String.fromCodePoint(rune))[0];
}
function quoteByte(byte) {
  if (byte === 39) return "'\\''";
  if (byte === 34) return `'"'`;
  return `'${goQuote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

// packages/kube/src/json.ts
function parseJson(text3) {
  const value = parsePlain(text3);
  return value === void 0 ? decodeJson(text3).value : value;
}
function stringifyJson(value, indent) {
  try {
    return JSON.stringify(value, void 0, indent);
  } catch (thrown) {
    if (!(thrown instanceof TypeError) || !thrown.message.includes("BigInt")) throw thrown;
    return writeWithBigInts(value, indent);
  }
}
function parsePlain(text3) {
  let value;
  try {
    value = JSON.parse(text3);
  } catch {
    return void 0;
  }
  if (text3.includes("\\u") && SURROGATE_ESCAPE.test(text3)) return void 0;
  return isPlain(value) ? value : void 0;
}
var SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
var SURVEYED_DEPTH = 500;
var survey = { keys: 0 };
function isPlain(value) {
  survey.keys = 0;
  return isPlainValue(value, 0);
}
function isPlainValue(value, depth) {
  if (typeof value === "number") return value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return true;
  if (depth === SURVEYED_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlainValue(value[i], depth + 1)) return false;
    return true;
  }
  const object = value;
  for (const key in object) {
    survey.keys++;
    const field = object[key];
    if (typeof field !== "string" && !isPlainValue(field, depth + 1)) return false;
  }
  return true;
}
function writeWithBigInts(value, indent = 0, margin = "") {
  if (typeof value === "bigint") return value.toString();
  const data = hasToJson(value) ? value.toJSON() : value;
  if (typeof data !== "object" || data === null) return JSON.stringify(data);
  const inner = margin + " ".repeat(indent);
  const isArray = Array.isArray(data);
  const parts = isArray ? data.map((item) => isOmitted(item) ? "null" : writeWithBigInts(item, indent, inner)) : Object.entries(data).filter(([, field]) => !isOmitted(field)).map(
    ([key, field]) => `${JSON.stringify(key)}:${indent > 0 ? " " : ""}${writeWithBigInts(field, indent, inner)}`
  );
  const [open, close] = isArray ? "[]" : "{}";
  if (parts.length === 0) return `${open}${close}`;
  if (indent === 0) return `${open}${parts.join(",")}${close}`;
  return `${open}
${parts.map((part) => inner + part).join(",\n")}
${margin}${close}`;
}
var isOmitted = (value) => value === void 0 || typeof value === "function" || typeof value === "symbol";
function hasToJson(value) {
  return typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function";
}

// packages/kube/src/json-lines.ts
var NEWLINE = 10;
var JsonLines = class {
  #longest;
  /** The pieces of the line that has not ended yet. */
  #pending = [];
  #pendingLength = 0;
  constructor(longest) {
    this.#longest = longest;
  }
  /** The lines that end in this piece. Empty lines are left out. */
  *push(piece) {
    let start = 0;
    for (let end2 = piece.indexOf(NEWLINE); end2 >= 0; end2 = piece.indexOf(NEWLINE, start)) {
      const line = this.#take(piece.subarray(start, end2));
      if (line !== "") yield line;
      start = end2 + 1;
    }
    this.#keep(piece.subarray(start));
  }
  /** What came after the last line end. */
  rest() {
    return this.#take(new Uint8Array(0));
  }
  #take(last) {
    if (this.#pendingLength === 0) return text(last);
    const line = text(Buffer.concat([...this.#pending, last]));
    this.#pending = [];
    this.#pendingLength = 0;
    return line;
  }
  #keep(piece) {
    if (piece.length === 0) return;
    this.#pending.push(piece);
    this.#pendingLength += piece.length;
    if (this.#pendingLength > this.#longest) throw new Error(`a line is longer than ${this.#longest} bytes`);
  }
};
var text = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").trim();

// packages/kube/src/web-socket.ts
init_src();
import { createHash } from "node:crypto";
import http from "node:http";
import https from "node:https";
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
async function openWebSocket(options) {
  const { url, subprotocols, headers, tls, connection, signal, random = systemRandom } = options;
  const key = Buffer.from(random.bytes(16)).toString("base64");
  const call = (url.startsWith("https:") ? https : http).request(url, {
    ...tls,
    ...connection ? { createConnection: () => connection } : { agent: false },
    headers: {
      ...headers,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      "sec-websocket-protocol": subprotocols.join(", ")
    },
    ...signal && { signal }
  });
  call.end();
  return new Promise((resolve, reject) => {
    call.once("error", reject);
    call.once("response", (refusal) => resolve({ refusal }));
    call.once("upgrade", (response, socket, head) => {
      const protocol = response.headers["sec-websocket-protocol"] ?? "";
      if (response.headers["sec-websocket-accept"] !== acceptKeyFor(key) || !subprotocols.includes(protocol)) {
        socket.destroy();
        reject(new WebSocketProtocolError("the server agreed to something that was not asked for"));
        return;
      }
      const duplex = new WebSocketDuplex(socket, head, { role: "client", random });
      const onAbort = () => duplex.destroy(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
      duplex.once("close", () => signal?.removeEventListener("abort", onAbort));
      resolve({ protocol, socket: duplex });
    });
  });
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
var DEFAULT_SILENCE_MS = 75e3;
var DEFAULT_LARGEST_ANSWER = 256 * 1024 * 1024;
var KEEP_ALIVE_PROBE_MS = 3e4;
var IDLE_SOCKET_MS = 5e4;
function createHttpTransport(options) {
  return new HttpTransport(options);
}
var HttpTransport = class {
  #base;
  #options;
  #clock;
  #silenceMs;
  #largest;
  #credentials;
  /** The last one is in use. Those before it had an older certificate: what still runs over them runs on. */
  #agents = [];
  #open = /* @__PURE__ */ new Set();
  #isClosed = false;
  constructor(options) {
    this.#base = new URL(options.server);
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#silenceMs = options.silenceMs ?? DEFAULT_SILENCE_MS;
    this.#largest = options.largestAnswerBytes ?? DEFAULT_LARGEST_ANSWER;
    this.#credentials = (this.#isSecure ? options.credentials : void 0) ?? fixedCredential({});
  }
  async request(request) {
    const { response } = await this.#exchange(request);
    try {
      return await this.#readAnswer(response);
    } catch (thrown) {
      throw this.#failure(thrown, request);
    }
  }
  async *stream(request) {
    const lines = new JsonLines(this.#largest);
    for await (const piece of this.bytes(request)) {
      for (const line of lines.push(piece)) yield parseJson(line);
    }
    const rest = lines.rest();
    if (rest !== "") throw this.#failure(new Error("the stream ended inside an event"), request);
  }
  async *bytes(request) {
    const { response } = await this.#exchange(request, { "accept-encoding": "identity" });
    try {
      if (!isSuccess(response)) throw apiErrorFrom(await this.#readAnswer(response));
      for await (const piece of response) yield piece;
    } catch (thrown) {
      throw this.#failure(thrown, request);
    } finally {
      response.destroy();
    }
  }
  async upgrade(request, subprotocols) {
    this.#refuseWhenClosed();
    const credential = await this.#credentials.current();
    const silence = new AbortController();
    const timer = this.#clock.schedule(
      this.#silenceMs,
      () => silence.abort(new Error(`no answer within ${this.#silenceMs} ms`))
    );
    try {
      const opened = await openWebSocket({
        url: `${this.#base.origin}${this.#pathOf(request)}`,
        subprotocols,
        headers: this.#headersOf(request, credential),
        tls: this.#tlsOptions(credential.certificate),
        signal: request.signal ? AbortSignal.any([request.signal, silence.signal]) : silence.signal
      });
      timer.cancel();
      if ("refusal" in opened) {
        this.#track(opened.refusal);
        throw apiErrorFrom(await this.#readAnswer(opened.refusal));
      }
      this.#track(opened.socket);
      return opened;
    } catch (thrown) {
      timer.cancel();
      throw this.#failure(thrown, request);
    }
  }
  async close() {
    this.#isClosed = true;
    for (const open of this.#open) open.destroy();
    for (const { agent } of this.#agents) agent.destroy();
  }
  /** Sends a request and waits for the head of its answer. A refused credential that has a successor meanwhile is
   *  replaced and the request sent once more: a request without a valid credential had no effect. */
  async #exchange(request, headers = {}) {
    const body = request.body === void 0 ? void 0 : Buffer.from(stringifyJson(request.body));
    const credential = await this.#credentials.current();
    const response = await this.#send(request, body, headers, credential);
    if (response.statusCode !== 401) return { response, credential };
    this.#credentials.refused(credential);
    const newer = await this.#credentials.current();
    if (isSameCredential(newer, credential)) return { response, credential };
    response.resume();
    return { response: await this.#send(request, body, headers, newer), credential: newer };
  }
  async #send(request, body, headers, credential) {
    try {
      return await this.#sendOnce(request, body, headers, credential);
    } catch (thrown) {
      if (request.method === "GET" && thrown instanceof StaleConnection) {
        return this.#sendOnce(request, body, headers, credential);
      }
      throw thrown;
    }
  }
  #sendOnce(request, body, headers, credential) {
    this.#refuseWhenClosed();
    request.signal?.throwIfAborted();
    const { promise, resolve, reject } = withResolvers();
    const call = (this.#isSecure ? https2 : http2).request({
      host: this.#base.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: this.#base.port,
      path: this.#pathOf(request),
      method: request.method,
      agent: this.#agentFor(credential.certificate),
      headers: {
        "accept-encoding": "gzip",
        ...this.#headersOf(request, credential),
        ...headers,
        ...body && { "content-length": String(body.length) }
      },
      ...request.signal && { signal: request.signal }
    });
    const silence = this.#clock.schedule(
      this.#silenceMs,
      () => call.destroy(new Error(`no answer within ${this.#silenceMs} ms`))
    );
    this.#track(call);
    call.on("socket", (socket) => {
      if (!call.reusedSocket) socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    });
    call.on("response", (response) => {
      silence.cancel();
      this.#track(response);
      resolve(response);
    });
    call.on("error", (error) => {
      silence.cancel();
      reject(isStale(call, error) ? new StaleConnection(this.#base.origin, error) : this.#failure(error, request));
    });
    call.end(body);
    return promise;
  }
  async #readAnswer(response) {
    const pieces = [];
    let length = 0;
    const giveUp = () => response.destroy(new Error(`the answer stopped for ${this.#silenceMs} ms`));
    let silence = this.#clock.schedule(this.#silenceMs, giveUp);
    try {
      for await (const piece of response) {
        silence.cancel();
        pieces.push(piece);
        length += piece.length;
        if (length > this.#largest) throw new Error(`the answer is larger than ${this.#largest} bytes`);
        silence = this.#clock.schedule(this.#silenceMs, giveUp);
      }
    } finally {
      silence.cancel();
    }
    const text3 = await this.#textOf(response, pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
    const isJson = response.headers["content-type"]?.includes("json") && text3 !== "";
    return { status: response.statusCode, headers: response.headers, body: isJson ? parseJson(text3) : text3 };
  }
  async #textOf(response, bytes) {
    if (response.headers["content-encoding"] !== "gzip") return bytes.toString("utf8");
    const { promise, resolve, reject } = withResolvers();
    gunzip(
      bytes,
      { maxOutputLength: this.#largest },
      (error, plain) => error ? reject(error) : resolve(plain.toString("utf8"))
    );
    return promise;
  }
  get #isSecure() {
    return this.#base.protocol === "https:";
  }
  #pathOf({ path: path2, query }) {
    const base = this.#base.pathname.replace(/\/$/, "");
    const search = query ? queryText(query) : "";
    return `${base}${path2}${search === "" ? "" : `?${search}`}`;
  }
  #headersOf({ headers, body }, { authorization }) {
    const all = { accept: "application/json", "user-agent": "tiphys" };
    if (body !== void 0) all["content-type"] = "application/json";
    for (const [name, value] of Object.entries({ ...this.#options.headers, ...headers })) {
      all[name] = typeof value === "string" ? value : [...value];
    }
    if (authorization !== void 0) all.authorization = authorization;
    return all;
  }
  #agentFor(certificate) {
    const latest = this.#agents.at(-1);
    if (latest && isSameCertificate(latest.certificate, certificate)) return latest.agent;
    const kept = {
      keepAlive: true,
      timeout: IDLE_SOCKET_MS,
      maxFreeSockets: 64,
      scheduling: "lifo"
    };
    const agent = this.#isSecure ? new https2.Agent({ ...kept, ...this.#tlsOptions(certificate) }) : new http2.Agent(kept);
    this.#agents.push({ agent, certificate });
    return agent;
  }
  #tlsOptions(certificate) {
    const { ca, serverName, insecureSkipTlsVerify } = this.#options;
    return {
      ...ca !== void 0 && { ca },
      ...serverName !== void 0 && { servername: serverName },
      ...insecureSkipTlsVerify && { rejectUnauthorized: false },
      ...certificate
    };
  }
  /** So that `close` ends what still runs. */
  #track(open) {
    this.#open.add(open);
    open.once("close", () => this.#open.delete(open));
  }
  #refuseWhenClosed() {
    if (this.#isClosed) throw new ConnectionFailure(this.#base.origin, new Error("this connection was closed"));
  }
  #failure(thrown, { signal }) {
    if (signal?.aborted) return signal.reason;
    if (thrown instanceof Failure) return thrown;
    return new ConnectionFailure(this.#base.origin, asError(thrown));
  }
};
var StaleConnection = class extends ConnectionFailure {
};
function isStale(call, error) {
  return call.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
}
function isSuccess({ statusCode = 0 }) {
  return statusCode >= 200 && statusCode < 300;
}
function queryText(query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === void 0) continue;
    for (const each of typeof value === "string" ? [value] : value) parameters.append(name, each);
  }
  return parameters.toString();
}
function withResolvers() {
  let resolve;
  let reject;
  const promise = new Promise((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

// packages/kube/src/kube-client.ts
init_src();

// packages/kube/src/discovery.ts
function createDiscovery(transport) {
  let catalogue;
  let reading;
  const read = () => {
    reading ??= readCatalogue(transport).then((fresh) => {
      catalogue = fresh;
      return fresh;
    }).finally(() => {
      reading = void 0;
    });
    return reading;
  };
  return {
    resources: async () => (catalogue ?? await read()).resources,
    async resourceFor(kind) {
      const key = keyOf(kind);
      const known = catalogue?.byKind.get(key);
      if (known) return known;
      const fresh = await read();
      const found = fresh.byKind.get(key);
      if (!found) throw new UnknownKindFailure(kind, fresh.unavailable);
      return found;
    }
  };
}
var keyOf = ({ apiVersion, kind }) => `${apiVersion}/${kind}`;
var AGGREGATED = ["v2", "v2beta1"].map(
  (version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`
);
var ACCEPT = [...AGGREGATED, "application/json"].join(",");
async function readCatalogue(transport) {
  const [core, groups] = await Promise.all([readRoot(transport, "/api"), readRoot(transport, "/apis")]);
  const resources = [...core.resources, ...groups.resources];
  const byKind = /* @__PURE__ */ new Map();
  for (const resource of resources) {
    const key = keyOf({ apiVersion: formatApiVersion(resource), kind: resource.kind });
    if (!byKind.has(key)) byKind.set(key, resource);
  }
  return { resources, byKind, unavailable: [...core.unavailable, ...groups.unavailable] };
}
async function readRoot(transport, path2) {
  const answer = await transport.request({ method: "GET", path: path2, headers: { accept: ACCEPT } });
  if (answer.status >= 300) throw apiErrorFrom(answer);
  const body = answer.body;
  return "items" in body ? readAggregated(body) : readLegacy(transport, body);
}
function readAggregated({ items }) {
  const versions = items.flatMap(
    ({ metadata, versions: versions2 = [] }) => versions2.map((version) => ({ ...version, group: metadata?.name ?? "" }))
  );
  return {
    resources: versions.flatMap(
      ({ group, version, resources = [] }) => resources.filter((resource) => resource.responseKind?.kind).map((resource) => ({
        group,
        version,
        kind: resource.responseKind?.kind,
        resource: resource.resource,
        singular: resource.singularResource ?? "",
        namespaced: resource.scope === "Namespaced",
        verbs: resource.verbs ?? [],
        shortNames: resource.shortNames ?? [],
        categories: resource.categories ?? [],
        subresources: (resource.subresources ?? []).map(({ subresource }) => subresource)
      }))
    ),
    unavailable: versions.filter(({ freshness }) => freshness === "Stale").map(formatApiVersion)
  };
}
async function readLegacy(transport, root) {
  const apiVersions = "groups" in root ? root.groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion)) : root.versions;
  const answers = await Promise.all(apiVersions.map((apiVersion) => readLegacyVersion(transport, apiVersion)));
  return {
    resources: answers.flatMap((resources) => resources ?? []),
    unavailable: apiVersions.filter((_, i) => answers[i] === void 0)
  };
}
async function readLegacyVersion(transport, apiVersion) {
  const path2 = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`;
  const { status, body } = await transport.request({ method: "GET", path: path2, headers: { accept: "application/json" } });
  if (status >= 300) return void 0;
  const { resources = [] } = body;
  return resources.filter(({ name }) => !name.includes("/")).map(({ name, singularName = "", namespaced, kind, verbs = [], shortNames = [], categories = [] }) => ({
    ...parseApiVersion(apiVersion),
    kind,
    resource: name,
    singular: singularName,
    namespaced,
    verbs,
    shortNames,
    categories,
    subresources: resources.filter((other) => other.name.startsWith(`${name}/`)).map((other) => other.name.slice(name.length + 1))
  }));
}

// packages/kube/src/drained.ts
function drained(stream) {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writableNeedDrain) return resolve();
    const settle = () => {
      stream.off("drain", settle);
      stream.off("close", settle);
      resolve();
    };
    stream.on("drain", settle);
    stream.on("close", settle);
  });
}

// packages/kube/src/pod-exec.ts
var CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 };
var PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
async function execInPod(transport, request, options) {
  const { protocol, socket } = await transport.upgrade({ ...request, query: queryOf(options) }, PROTOCOLS);
  try {
    const [status] = await Promise.all([
      readStreams(socket, options),
      options.stdin ? writeStdin(socket, options.stdin, protocol) : void 0
    ]);
    return { exitCode: exitCodeOf(status) };
  } finally {
    socket.destroy();
  }
}
function queryOf({ command, container, tty, stdin, onStdout, onStderr }) {
  return {
    command,
    container,
    tty: tty ? "true" : void 0,
    stdin: stdin ? "true" : void 0,
    // The server refuses a command without any stream; a terminal has no separate error stream.
    stdout: onStdout || tty || !onStderr ? "true" : void 0,
    stderr: onStderr && !tty ? "true" : void 0
  };
}
async function readStreams(socket, { onStdout, onStderr }) {
  for await (const message of socket) {
    const content = message.subarray(1);
    if (message[0] === CHANNEL.stdout && content.length > 0) onStdout?.(content);
    else if (message[0] === CHANNEL.stderr && content.length > 0) onStderr?.(content);
    else if (message[0] === CHANNEL.error) return JSON.parse(Buffer.from(content).toString());
  }
  return brokenOff2();
}
async function writeStdin(socket, stdin, protocol) {
  for await (const chunk of stdin) {
    if (socket.destroyed) return;
    if (!socket.write(Buffer.concat([Uint8Array.of(CHANNEL.stdin), chunk]))) {
      await drained(socket);
    }
  }
  if (protocol === "v5.channel.k8s.io" && !socket.destroyed) socket.write(Uint8Array.of(CHANNEL.close, CHANNEL.stdin));
}
function brokenOff2() {
  const message = "the connection ended before the command did";
  return {
    apiVersion: "v1",
    kind: "Status",
    metadata: {},
    status: "Failure",
    reason: "InternalError",
    code: 500,
    message
  };
}
function exitCodeOf(status) {
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  if (status.reason === "NonZeroExitCode" && cause?.message !== void 0) return Number(cause.message);
  throw new ApiError(status);
}

// packages/kube/src/pod-port-forward.ts
init_src();

// packages/kube/src/spdy-connection.ts
init_src();
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
function lengthAndText(text3) {
  const bytes = Buffer.from(text3);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
var SpdyHeaderWriter = class {
  #isFirst = true;
  write(headers) {
    const entries = Object.entries(headers);
    const count2 = Buffer.alloc(4);
    count2.writeUInt32BE(entries.length);
    const block = Buffer.concat([
      count2,
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
  const count2 = block.readUInt32BE(0);
  if (count2 > MOST_HEADERS || block.length > LARGEST_BLOCK) throw new Error("the headers of a stream are too large");
  const headers = {};
  let at = 4;
  const text3 = () => {
    const length = block.readUInt32BE(at);
    at += 4;
    if (at + length > block.length) throw new Error("a block of headers is cut off");
    const value = block.toString("utf8", at, at + length);
    at += length;
    return value;
  };
  for (let i = 0; i < count2; i++) {
    const name = text3();
    headers[name] = text3();
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
      if (!isFree) await drained(this.#socket);
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

// packages/kube/src/pod-port-forward.ts
var PROTOCOL = "SPDY/3.1+portforward.k8s.io";
var PortForwardFailure = class extends Failure {
  constructor(port, why) {
    super("kube-port-forward-failed", { what: `port ${port} of the pod cannot be reached`, why });
  }
};
async function forwardPort(transport, request, port) {
  const { socket } = await transport.upgrade(request, [PROTOCOL]);
  const connection = createSpdyConnection(socket, { role: "client" });
  const headers = { port: String(port), requestid: "0" };
  const errors = connection.openStream({ ...headers, streamtype: "error" });
  errors.end();
  const data = connection.openStream({ ...headers, streamtype: "data" });
  data.once("close", () => connection.close());
  errors.on("data", (message) => data.destroy(new PortForwardFailure(port, message.toString("utf8"))));
  errors.on("error", () => {
  });
  return data;
}

// packages/kube/src/resource-path.ts
init_src();
function resourcePath(info, { namespace, name, subresource }) {
  const root = info.group === "" ? `/api/${info.version}` : `/apis/${info.group}/${info.version}`;
  const scope = info.namespaced && namespace !== void 0 ? `/namespaces/${segment("namespace", namespace)}` : "";
  const object = name === void 0 ? "" : `/${segment("name", name)}`;
  const below = subresource === void 0 ? "" : `/${subresource.split("/").map(encodeURIComponent).join("/")}`;
  return `${root}${scope}/${info.resource}${object}${below}`;
}
function segment(what, value) {
  if (value === "" || value === "." || value === ".." || /[/%]/.test(value)) {
    throw new TerminalFailure("kube-name-invalid", {
      what: `${JSON.stringify(value)} cannot be the ${what} of an object`,
      todo: "A name is not empty, not . or .., and has no / and no %"
    });
  }
  return encodeURIComponent(value);
}

// packages/kube/src/warning-header.ts
function parseWarnings(header) {
  if (header === void 0) return [];
  const lines = typeof header === "string" ? [header] : header;
  return lines.flatMap((line) => [...line.matchAll(WARNING)].map(([, text3]) => text3.replace(/\\(.)/g, "$1")));
}
var WARNING = /\b\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

// packages/kube/src/kube-client.ts
function createClient(transport, options = {}) {
  return new KubeClient(
    transport,
    createDiscovery(transport),
    options,
    options.impersonate ? impersonation(options.impersonate) : {}
  );
}
var JSON_TYPE = "application/json";
var PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json"
};
var APPLY_TYPE = "application/apply-patch+yaml";
var PAGE_SIZE = 500;
var RESTARTS_OF_A_LIST = 3;
var KubeClient = class {
  #transport;
  #discovery;
  #options;
  /** The impersonation headers; none when this client speaks for itself. */
  #identity;
  constructor(transport, discovery, options, identity) {
    this.#transport = transport;
    this.#discovery = discovery;
    this.#options = options;
    this.#identity = identity;
  }
  async get(ref, options = {}) {
    const path2 = await this.#objectPath(ref, options.subresource);
    const accept = options.metadataOnly ? metadataType("PartialObjectMetadata") : JSON_TYPE;
    const object = await this.#send({ method: "GET", path: path2, headers: { accept }, ...signalOf(options) });
    return options.metadataOnly ? metadataOf(object, ref) : object;
  }
  async list(selection, options = {}) {
    const path2 = await this.#collectionPath(selection, options.subresource);
    const accept = options.metadataOnly ? metadataType("PartialObjectMetadataList") : JSON_TYPE;
    const query = {
      ...selectorsOf(selection),
      limit: numberText(options.limit),
      continue: options.continue,
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch
    };
    const list = await this.#send({
      method: "GET",
      path: path2,
      query,
      headers: { accept },
      ...signalOf(options)
    });
    list.items = (list.items ?? []).map(
      (item) => options.metadataOnly ? metadataOf(item, selection) : named(item, selection)
    );
    return list;
  }
  async listAll(selection, options = {}) {
    const limit = options.limit ?? PAGE_SIZE;
    for (let restarts = 0; restarts < RESTARTS_OF_A_LIST; restarts++) {
      try {
        return await this.#listPages(selection, { ...options, limit });
      } catch (error) {
        if (!isExpired(error)) throw error;
      }
    }
    const { limit: _, ...unlimited } = options;
    return this.list(selection, unlimited);
  }
  async #listPages(selection, options) {
    const list = await this.list(selection, options);
    const { resourceVersion: _, resourceVersionMatch: __, ...later } = options;
    for (let token = list.metadata.continue; token; ) {
      const page = await this.list(selection, { ...later, continue: token });
      for (const item of page.items) list.items.push(item);
      list.metadata = page.metadata;
      token = page.metadata.continue;
    }
    const { continue: _token, remainingItemCount: _count, ...metadata } = list.metadata;
    list.metadata = metadata;
    return list;
  }
  async *watch(selection, options = {}) {
    const accept = options.metadataOnly ? metadataType("PartialObjectMetadata") : JSON_TYPE;
    const query = {
      ...selectorsOf(selection),
      watch: "true",
      resourceVersion: options.resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch,
      sendInitialEvents: booleanText(options.sendInitialEvents),
      allowWatchBookmarks: booleanText(options.allowWatchBookmarks),
      timeoutSeconds: numberText(options.timeoutSeconds)
    };
    try {
      const path2 = await this.#collectionPath(selection);
      const { readsOnly = false } = options;
      const request = this.#asUser({ method: "GET", path: path2, query, headers: { accept }, readsOnly, ...signalOf(options) });
      for await (const value of this.#transport.stream(request)) {
        const event = value;
        if (options.metadataOnly && event.type !== "ERROR") event.object = metadataOf(event.object, selection);
        yield event;
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }
  async create(object, options = {}) {
    const { namespace, name } = object.metadata;
    const info = await this.#discovery.resourceFor(object);
    const target = options.subresource === void 0 ? { namespace } : { namespace, name, subresource: options.subresource };
    return this.#write("POST", this.#path(info, target), object, options);
  }
  async update(object, options = {}) {
    return this.#write("PUT", await this.#objectPath(refOf(object), options.subresource), object, options);
  }
  async patch(ref, patch, options = {}) {
    const body = patch.type === "json" ? patch.operations : patch.patch;
    const path2 = await this.#objectPath(ref, options.subresource);
    return this.#write("PATCH", path2, body, options, PATCH_TYPES[patch.type]);
  }
  async apply(object, options) {
    const path2 = await this.#objectPath(refOf(object), options.subresource);
    return this.#write("PATCH", path2, object, options, APPLY_TYPE, { force: booleanText(options.force) });
  }
  async delete(ref, options = {}) {
    const path2 = await this.#objectPath(ref, options.subresource);
    return this.#send({ method: "DELETE", path: path2, ...deletion(options), ...signalOf(options) });
  }
  async deleteCollection(selection, options = {}) {
    const path2 = await this.#collectionPath(selection, options.subresource);
    const query = selectorsOf(selection);
    const answer = await this.#send({
      method: "DELETE",
      path: path2,
      query,
      ...deletion(options),
      ...signalOf(options)
    });
    if ("items" in answer) answer.items = (answer.items ?? []).map((item) => named(item, selection));
    return answer;
  }
  async subresource(verb, ref, subresource, body, options = {}) {
    const path2 = await this.#objectPath(ref, subresource);
    if (verb === "get") return this.#send({ method: "GET", path: path2, ...signalOf(options) });
    return this.#write(verb === "create" ? "POST" : "PUT", path2, body, options);
  }
  resources() {
    return this.#discovery.resources();
  }
  resourceFor(kind) {
    return this.#discovery.resourceFor(kind);
  }
  serverVersion() {
    return this.#send({ method: "GET", path: "/version" });
  }
  async *logs(pod, options = {}) {
    const { signal, ...asked } = options;
    const query = Object.fromEntries(
      Object.entries(asked).map(([key, value]) => [key, value === void 0 ? void 0 : String(value)])
    );
    const path2 = await this.#objectPath({ apiVersion: "v1", kind: "Pod", ...pod }, "log");
    try {
      yield* this.#transport.bytes(this.#asUser({ method: "GET", path: path2, query, ...signalOf(options) }));
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
  async exec(pod, options) {
    const path2 = await this.#objectPath({ apiVersion: "v1", kind: "Pod", ...pod }, "exec");
    return execInPod(this.#transport, this.#asUser({ method: "GET", path: path2, ...signalOf(options) }), options);
  }
  async portForward(pod, port, options = {}) {
    const path2 = await this.#objectPath({ apiVersion: "v1", kind: "Pod", ...pod }, "portforward");
    return forwardPort(this.#transport, this.#asUser({ method: "GET", path: path2, ...signalOf(options) }), port);
  }
  as(user) {
    return new BorrowedClient(this.#transport, this.#discovery, this.#options, impersonation(user));
  }
  close() {
    return this.#transport.close();
  }
  #write(method, path2, body, options, contentType = JSON_TYPE, more = {}) {
    const { dryRun, fieldManager, fieldValidation } = options;
    const query = { ...more, dryRun: dryRun ? "All" : void 0, fieldManager, fieldValidation };
    return this.#send({ method, path: path2, query, body, headers: { "content-type": contentType }, ...signalOf(options) });
  }
  async #send(request) {
    const answer = await this.#transport.request(this.#asUser(request));
    const { onWarning } = this.#options;
    if (onWarning) for (const text3 of parseWarnings(answer.headers.warning)) onWarning(text3);
    if (answer.status < 200 || answer.status >= 300) throw apiErrorFrom(answer);
    return answer.body;
  }
  #asUser(request) {
    return { ...request, headers: { accept: JSON_TYPE, ...request.headers, ...this.#identity } };
  }
  async #objectPath(ref, subresource) {
    const info = await this.#discovery.resourceFor(ref);
    return this.#path(info, { namespace: ref.namespace, name: ref.name, subresource });
  }
  /** The path of one object, or of the collection that a new one goes into: a namespace is needed where there are any. */
  #path(info, target) {
    const namespace = target.namespace ?? this.#options.namespace;
    if (info.namespaced && namespace === void 0) {
      throw new TerminalFailure("kube-namespace-missing", {
        what: `${info.kind}${target.name === void 0 ? "" : ` ${target.name}`} has no namespace`,
        todo: `Set the namespace: objects of this kind live in one`
      });
    }
    return resourcePath(info, { ...target, namespace });
  }
  async #collectionPath(selection, subresource) {
    const info = await this.#discovery.resourceFor(selection);
    return resourcePath(info, { namespace: selection.namespace, subresource });
  }
};
var BorrowedClient = class extends KubeClient {
  close() {
    return Promise.resolve();
  }
};
var metadataType = (as) => `${JSON_TYPE};as=${as};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
function metadataOf(object, { apiVersion, kind }) {
  return { apiVersion, kind, metadata: object.metadata };
}
function named(item, { apiVersion, kind }) {
  return item.kind && item.apiVersion ? item : Object.assign({ apiVersion, kind }, item);
}
function refOf(object) {
  const { name, namespace } = object.metadata;
  const { apiVersion, kind } = object;
  return { apiVersion, kind, name: name ?? "", ...namespace !== void 0 && { namespace } };
}
function selectorsOf({ labelSelector, fieldSelector }) {
  return { labelSelector, fieldSelector };
}
function deletion({ dryRun, propagationPolicy, gracePeriodSeconds, preconditions }) {
  const body = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    ...dryRun && { dryRun: ["All"] },
    ...propagationPolicy && { propagationPolicy },
    ...gracePeriodSeconds !== void 0 && { gracePeriodSeconds },
    ...preconditions && { preconditions }
  };
  return { body, headers: { "content-type": JSON_TYPE } };
}
function impersonation({ user, groups, uid, extra = {} }) {
  return {
    "impersonate-user": user,
    ...groups && { "impersonate-group": groups },
    ...uid !== void 0 && { "impersonate-uid": uid },
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        values
      ])
    )
  };
}
var signalOf = ({ signal }) => signal ? { signal } : {};
var numberText = (value) => value === void 0 ? void 0 : String(value);
var booleanText = (value) => value === void 0 ? void 0 : String(value);

// packages/kube/src/yaml.ts
init_yaml_failure();
async function readYaml(text3) {
  const { readDocument: readDocument2 } = await loadReader();
  const objects = /^\s*\{/.test(text3) ? await readJsonObjects(text3) : void 0;
  if (objects) return objects;
  return splitDocuments(text3).map(({ text: text4, line }) => ({ ...readDocument2(text4, line), line })).filter(({ value }) => value !== null);
}
var reader;
function loadReader() {
  reader ??= Promise.resolve().then(() => (init_yaml_reader(), yaml_reader_exports));
  return reader;
}
async function readJsonObjects(text3) {
  const { locateInJson: locateInJson2 } = await loadReader();
  try {
    let start = 0;
    return decodeJsonStream(text3).map(({ value, end: end2 }) => {
      const own = text3.slice(start, end2);
      const line = text3.slice(0, start + own.search(/\S/)).split("\n").length;
      const lineOf = locateInJson2(own.trimStart(), line);
      start = end2;
      return { value, line, duplicateKeys: [], lineOf };
    });
  } catch (thrown) {
    if (thrown instanceof JsonFailure) return void 0;
    throw thrown;
  }
}
function splitDocuments(text3) {
  const chunks = [];
  let lines = [];
  let start = 1;
  for (const [i, line] of text3.split("\n").entries()) {
    if (!line.startsWith("---")) {
      lines.push(line);
      continue;
    }
    const after = line.slice(3).trim();
    if (after !== "" && !after.startsWith("#"))
      throw new YamlFailure(`invalid Yaml document separator: ${after}`, i + 1);
    chunks.push({ text: [...lines, ""].join("\n"), line: start });
    lines = [];
    start = i + 2;
  }
  return [...chunks, { text: lines.join("\n"), line: start }];
}

// packages/kube/src/kubeconfig-file.ts
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

// packages/kube/src/yaml-format.ts
init_go_float();
init_yaml_scalar();
function formatYaml(value) {
  const emitter = new Emitter();
  emitter.emitNode(value, -INDENT, "root");
  return emitter.finish();
}
var INDENT = 2;
var BEST_WIDTH = 80;
var LONGEST_SIMPLE_KEY = 128;
var SIXTIES = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
var Emitter = class {
  #out = "";
  #column = 0;
  finish() {
    return this.#column === 0 ? this.#out : `${this.#out}
`;
  }
  emitNode(value, indent, place) {
    if (typeof value !== "object" || value === null) return this.#emitScalar(value, Math.max(indent, 0) + INDENT, place);
    if (Array.isArray(value)) return this.#emitSequence(value, indent, place);
    const fields2 = Object.entries(value).filter(([, field]) => field !== void 0);
    this.#emitMapping(
      fields2.sort(([a], [b]) => compareKeys(a, b)),
      indent,
      place
    );
  }
  #emitScalar(value, indent, place) {
    if (place !== "root") this.#write(" ");
    if (typeof value === "string") this.#emitText(value, indent, false);
    else if (typeof value === "number") this.#write(formatNumber(value));
    else this.#write(typeof value === "bigint" ? value.toString() : JSON.stringify(value ?? null));
  }
  #emitSequence(items, parent, place) {
    if (items.length === 0) return this.#write(place === "root" ? "[]" : " []");
    const indent = place === "field" ? parent : parent + INDENT;
    items.forEach((item, i) => {
      this.#startEntry(indent, i === 0 && (place === "item" || place === "after question mark"));
      this.#write("-");
      this.emitNode(item, indent, "item");
    });
  }
  #emitMapping(fields2, parent, place) {
    if (fields2.length === 0) return this.#write(place === "root" ? "{}" : " {}");
    const indent = parent + INDENT;
    fields2.forEach(([key, field], i) => {
      this.#startEntry(indent, i === 0 && (place === "item" || place === "after question mark"));
      if (isSimpleKey(key)) {
        this.#emitText(key, indent, true);
        this.#write(":");
        this.emitNode(field, indent, "field");
      } else {
        this.#write("?");
        this.#emitScalar(key, indent + INDENT, "after question mark");
        this.#newLine(indent);
        this.#write(":");
        this.emitNode(field, indent, "after question mark");
      }
    });
  }
  /** The first entry of a collection inside a list stands on the line of its dash. */
  #startEntry(indent, isOnSameLine) {
    if (isOnSameLine) this.#write(" ");
    else this.#newLine(indent);
  }
  #emitText(text3, indent, isKey) {
    const style = styleOf(text3, isKey);
    if (style === "literal") this.#emitLiteral(text3, indent);
    else if (style === "plain") this.#emitFolded(text3, indent, !isKey, (char) => char);
    else if (style === "single") {
      this.#write("'");
      this.#emitFolded(text3, indent, !isKey, (char) => char === "'" ? "''" : char);
      this.#write("'");
    } else this.#emitDoubleQuoted(text3, indent, !isKey);
  }
  /** Breaks the line at a lone space once it is long enough. */
  #emitFolded(text3, indent, mayBreak, escape) {
    let isAfterSpace = false;
    const chars = Array.from(text3);
    chars.forEach((char, i) => {
      const isInside = i > 0 && i < chars.length - 1;
      const breaks = mayBreak && char === " " && !isAfterSpace && isInside && this.#column > BEST_WIDTH && chars[i + 1] !== " ";
      if (breaks) this.#newLine(indent);
      else this.#write(escape(char));
      isAfterSpace = char === " ";
    });
  }
  #emitDoubleQuoted(text3, indent, mayBreak) {
    let isAfterSpace = false;
    const chars = Array.from(text3);
    this.#write('"');
    chars.forEach((char, i) => {
      const isInside = i > 0 && i < chars.length - 1;
      if (mayBreak && char === " " && !isAfterSpace && isInside && this.#column > BEST_WIDTH) {
        this.#newLine(indent);
        if (chars[i + 1] === " ") this.#write("\\");
      } else {
        this.#write(needsEscape(char) ? escapeChar(char) : char);
      }
      isAfterSpace = char === " ";
    });
    this.#write('"');
  }
  #emitLiteral(text3, indent) {
    const hint = /^[ \n]/.test(text3) ? String(INDENT) : "";
    const chomp = !text3.endsWith("\n") ? "-" : text3 === "\n" || text3.endsWith("\n\n") ? "+" : "";
    this.#write(`|${hint}${chomp}`);
    const lines = text3.split("\n");
    const last = lines.pop();
    this.#out += "\n";
    this.#column = 0;
    for (const line of lines) this.#out += line === "" ? "\n" : `${" ".repeat(indent)}${line}
`;
    if (last !== "") this.#write(" ".repeat(indent) + last);
  }
  #newLine(indent) {
    if (this.#column > 0) this.#out += "\n";
    this.#column = 0;
    this.#write(" ".repeat(indent));
  }
  #write(text3) {
    this.#out += text3;
    this.#column += text3.length;
  }
};
function isSimpleKey(key) {
  return Buffer.byteLength(key) <= LONGEST_SIMPLE_KEY && !/[\n\r\u0085\u2028\u2029]/.test(key);
}
function styleOf(text3, isKey) {
  const hasSpecial = Array.from(text3).some((char) => char !== "\n" && isSpecial(char));
  const hasSpaceBeforeBreak = / \n/.test(text3);
  if (text3.includes("\n")) {
    return isKey || hasSpecial || hasSpaceBeforeBreak || text3.endsWith(" ") ? "double" : "literal";
  }
  if (!readsAsText(text3)) return "double";
  if (hasSpecial) return "double";
  return canStandPlain(text3) ? "plain" : "single";
}
function readsAsText(text3) {
  return resolveScalar(text3, void 0, true).type === "str" && !SIXTIES.test(text3);
}
function canStandPlain(text3) {
  if (/^ | $/.test(text3)) return false;
  if (/^(?:---|\.\.\.)/.test(text3)) return false;
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text3)) return false;
  if (/^[-?:](?:[ \t]|$)/.test(text3)) return false;
  return !/:(?:[ \t]|$)/.test(text3) && !/[ \t]#/.test(text3);
}
function isSpecial(char) {
  const rune = char.codePointAt(0);
  const isPrintable = rune >= 32 && rune <= 126 || rune >= 160 && rune <= 55295 || rune >= 57344 && rune <= 65533 && rune !== 65279;
  return !isPrintable || rune === 8232 || rune === 8233;
}
var needsEscape = (char) => char === '"' || char === "\\" || isSpecial(char);
var SHORT_ESCAPES2 = {
  "\0": "\\0",
  "\x07": "\\a",
  "\b": "\\b",
  "	": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\x1B": "\\e",
  '"': '\\"',
  "\\": "\\\\",
  "\x85": "\\N",
  "\u2028": "\\L",
  "\u2029": "\\P"
};
function escapeChar(char) {
  const short = SHORT_ESCAPES2[char];
  if (short !== void 0) return short;
  const rune = char.codePointAt(0);
  const hex2 = rune.toString(16).toUpperCase();
  if (rune <= 255) return `\\x${hex2.padStart(2, "0")}`;
  return rune <= 65535 ? `\\u${hex2.padStart(4, "0")}` : `\\U${hex2.padStart(8, "0")}`;
}
function formatNumber(value) {
  const isWhole = Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63);
  return isWhole ? String(value) : formatGoFloat(value);
}
function compareKeys(a, b) {
  const left = Array.from(a);
  const right = Array.from(b);
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const l = left[i];
    const r = right[i];
    if (l !== r) return isLess(left, right, i) ? -1 : 1;
  }
  return left.length - right.length;
}
var isLetter = (char) => /\p{L}/u.test(char);
var isDigit2 = (char) => char !== void 0 && char >= "0" && char <= "9";
function isLess(left, right, i) {
  const l = left[i];
  const r = right[i];
  if (isLetter(l) && isLetter(r)) return compareRunes(l, r) < 0;
  if (isLetter(l) || isLetter(r)) return isLetter(r);
  const isInsideNumber = (l === "0" || r === "0") && hasNonZeroDigitBefore(left, i);
  const leftNumber = numberAt(left, i, isInsideNumber);
  const rightNumber = numberAt(right, i, isInsideNumber);
  if (leftNumber.value !== rightNumber.value) return leftNumber.value < rightNumber.value;
  if (leftNumber.end !== rightNumber.end) return leftNumber.end < rightNumber.end;
  return compareRunes(l, r) < 0;
}
function hasNonZeroDigitBefore(chars, at) {
  for (let i = at - 1; i >= 0 && isDigit2(chars[i]); i--) if (chars[i] !== "0") return true;
  return false;
}
function numberAt(chars, start, isInsideNumber) {
  let end2 = start;
  while (isDigit2(chars[end2])) end2++;
  return { value: BigInt(`${isInsideNumber ? "1" : "0"}${chars.slice(start, end2).join("")}`), end: end2 };
}
var compareRunes = (a, b) => a.codePointAt(0) - b.codePointAt(0);

// packages/kube/src/kubeconfig-file.ts
function kubeconfigFor({ name, server: server2, ca, user, namespace }) {
  const userName = user.name ?? `${name}-admin`;
  return formatYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: server2, ...ca !== void 0 && { "certificate-authority-data": base64(ca) } } }],
    users: [{ name: userName, user: credentialOf(user) }],
    contexts: [{ name, context: { cluster: name, user: userName, ...namespace !== void 0 && { namespace } } }],
    "current-context": name
  });
}
async function writeKubeconfig(file, text3) {
  await mkdir(path.dirname(path.resolve(file)), { recursive: true });
  const draft = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text3, { mode: 384, flag: "wx" });
    await rename(draft, file);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}
function credentialOf(user) {
  if ("token" in user) return { token: user.token };
  if (!("cert" in user)) return {};
  return { "client-certificate-data": base64(user.cert), "client-key-data": base64(user.key) };
}
var base64 = (text3) => Buffer.from(text3).toString("base64");

// packages/tiphys/src/events-real-server.ts
var CACHE = process.env.TIPHYS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tiphys", "bin");
function findTool(tool) {
  if (!existsSync(CACHE)) return void 0;
  const newest = readdirSync(CACHE).filter((name) => name.startsWith(`${tool}-`)).sort().at(-1);
  return newest && join(CACHE, newest);
}
var missing = ["etcd", "kube-apiserver"].filter((tool) => !findTool(tool));
var noRealServer = missing.length === 0 ? "" : ` (skipped: ${missing.join(" and ")} not built: node conformance/build.mjs)`;
var TOKEN = "admin-token";
var RealServer = class _RealServer {
  #folder;
  #ports;
  #etcd;
  #apiServer;
  #ca = "";
  client;
  constructor(folder2, ports) {
    const [etcdPort, peerPort] = ports;
    this.#folder = folder2;
    this.#ports = ports;
    this.#etcd = run("etcd", [
      `--data-dir=${join(folder2, "etcd")}`,
      `--listen-client-urls=http://127.0.0.1:${etcdPort}`,
      `--advertise-client-urls=http://127.0.0.1:${etcdPort}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
      `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
      "--unsafe-no-fsync"
    ]);
  }
  static async start() {
    const folder2 = await mkdtemp("/var/tmp/tiphys-real-");
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile2(join(folder2, "account.key"), privateKey.export({ type: "sec1", format: "pem" }).toString());
    await writeFile2(join(folder2, "tokens"), `${TOKEN},admin,1,"system:masters"
`);
    const server2 = new _RealServer(folder2, await Promise.all([freePort(), freePort(), freePort()]));
    await server2.startApiServer();
    server2.client = createClient(server2.#transport());
    return server2;
  }
  get kubeconfig() {
    return kubeconfigFor({ name: "test", server: this.#url, ca: this.#ca, user: { token: TOKEN } });
  }
  /** Starts it, also anew after a kill, on the data that etcd has. */
  async startApiServer() {
    const key = join(this.#folder, "account.key");
    this.#apiServer = run("kube-apiserver", [
      `--etcd-servers=http://127.0.0.1:${this.#ports[0]}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${this.#ports[2]}`,
      `--cert-dir=${this.#folder}`,
      `--token-auth-file=${join(this.#folder, "tokens")}`,
      "--authorization-mode=RBAC",
      "--endpoint-reconciler-type=none",
      "--disable-admission-plugins=ServiceAccount",
      "--service-cluster-ip-range=10.96.0.0/16",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${key}`,
      `--service-account-signing-key-file=${key}`
    ]);
    await this.#untilReady();
  }
  async killApiServer() {
    await end(this.#apiServer);
  }
  async stop() {
    await this.client?.close();
    await end(this.#apiServer);
    await end(this.#etcd);
    await rm2(this.#folder, { recursive: true, force: true });
  }
  get #url() {
    return `https://127.0.0.1:${this.#ports[2]}`;
  }
  #transport() {
    const credentials = fixedCredential({ authorization: `Bearer ${TOKEN}` });
    return createHttpTransport({ server: this.#url, ca: this.#ca, credentials });
  }
  async #untilReady() {
    const file = join(this.#folder, "apiserver.crt");
    for (; ; ) {
      for (const { exitCode, spawnfile } of [this.#apiServer, this.#etcd])
        if (exitCode !== null) throw new Error(`${spawnfile} ended with ${exitCode}`);
      if (existsSync(file)) {
        this.#ca = readFileSync(file, "utf8");
        const transport = this.#transport();
        const isReady = await transport.request({ method: "GET", path: "/readyz" }).then(
          ({ status }) => status === 200,
          () => false
          // it does not listen yet
        );
        await transport.close();
        if (isReady) return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};
var run = (tool, flags) => spawn(findTool(tool), flags, { stdio: "ignore" });
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
async function freePort() {
  const server2 = createServer().listen(0, "127.0.0.1");
  await once(server2, "listening");
  const { port } = server2.address();
  await new Promise((resolve) => server2.close(resolve));
  return port;
}

// packages/tiphys/src/events-engine-process.ts
import { spawn as spawn2 } from "node:child_process";
import { once as once2 } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
async function buildEngineProgram(outfile) {
  await build({
    entryPoints: [fileURLToPath(new URL("file:///work/main/packages/tiphys/src/testing/engine-program.ts"))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    // Some of what is bundled asks for Node's own modules in the old way.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: "error"
  });
}
var EngineProcess = class {
  child;
  #exited;
  #said = [];
  #listeners = /* @__PURE__ */ new Set();
  constructor(program, args) {
    this.child = spawn2(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    this.#exited = once2(this.child, "exit");
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      this.#said.push(line);
      for (const listen of this.#listeners) listen();
    });
  }
  /** Resolves when it has said a line that begins so, the `nth` time. Rejects when it ends before. */
  says(start, nth = 1) {
    const said = new Promise((resolve, reject) => {
      const listen = () => {
        const line = this.#said.filter((said2) => said2.startsWith(start))[nth - 1];
        if (line === void 0) return;
        this.#listeners.delete(listen);
        resolve(line);
      };
      this.#listeners.add(listen);
      listen();
      void this.#exited.then(() => reject(new Error(`the engine ended after: ${this.#said.join("\n")}`)));
    });
    said.catch(() => {
    });
    return said;
  }
  signal(signal) {
    this.child.kill(signal);
  }
  /** Resolves with its exit code when it is gone; nothing when a signal ended it. */
  async end(signal) {
    this.signal(signal);
    await this.#exited;
    return this.child.exitCode ?? void 0;
  }
};

// packages/events/src/kinds/definitions.ts
var ANYTHING = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
function definition(names, spec, status, columns = []) {
  const { group, kind, plural, shortNames = [] } = names;
  const metadata = { type: "object" };
  const version = {
    name: "v1alpha1",
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: "object",
        required: ["metadata", "spec"],
        properties: { apiVersion: { type: "string" }, kind: { type: "string" }, metadata, spec, status }
      }
    },
    subresources: { status: {} },
    ...columns.length > 0 && { additionalPrinterColumns: columns }
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
        ...shortNames.length > 0 && { shortNames }
      },
      versions: [version]
    }
  };
}
var ARGO = "argoproj.io";
var OWN = "tiphys.dev";
var text2 = (description, more = {}) => ({ type: "string", description, ...more });
var count = (description, more = {}) => ({
  type: "integer",
  description,
  minimum: 0,
  ...more
});
var fields = (properties, required = []) => ({
  type: "object",
  properties,
  ...required.length > 0 && { required }
});
var EVENT_IDS = {
  type: "array",
  description: "The ids of the events; all of them, when it is left out.",
  maxItems: 1e4,
  items: { type: "string", pattern: "^[0-9a-f]{32}$" }
};
var RATE = count("How many are sent in a second at most.", { minimum: 1, maximum: 1e4, default: 10 });
var BUS = text2("The EventBus.", { default: "default" });
var SENSOR = text2("The Sensor whose deliveries are meant.", { minLength: 1 });
var TRIGGER = text2("The trigger of the Sensor; every one, when it is left out.");
var PROGRESS = fields({
  phase: text2("Pending, Running, Succeeded or Failed.", { enum: ["Pending", "Running", "Succeeded", "Failed"] }),
  total: count("How many there are."),
  done: count("How many are done."),
  message: text2("What happened, in words."),
  startedAt: text2("When it began.", { format: "date-time" }),
  finishedAt: text2("When it ended.", { format: "date-time" }),
  by: text2("Who made the object.")
});
var PROGRESS_COLUMNS = [
  { name: "Phase", type: "string", jsonPath: ".status.phase" },
  { name: "Done", type: "integer", jsonPath: ".status.done" },
  { name: "Total", type: "integer", jsonPath: ".status.total" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }
];
var replay = definition(
  { group: OWN, kind: "Replay", plural: "replays" },
  fields({
    eventBusName: BUS,
    events: EVENT_IDS,
    source: text2("The EventSource whose events are meant; every one, when it is left out."),
    entry: text2("The entry of the EventSource."),
    key: text2('The key of the events, for example "Deployment.apps default/web".'),
    from: text2("Events since this time.", { format: "date-time" }),
    until: text2("Events before this time.", { format: "date-time" }),
    sensor: text2("The Sensor that gets them; every one, when it is left out."),
    trigger: TRIGGER,
    mode: text2("Run sends them; Count only says how many there are.", { enum: ["Run", "Count"], default: "Run" }),
    rate: RATE
  }),
  PROGRESS,
  PROGRESS_COLUMNS
);
var retry = definition(
  { group: OWN, kind: "Retry", plural: "retries" },
  fields({ eventBusName: BUS, sensor: SENSOR, trigger: TRIGGER, events: EVENT_IDS, rate: RATE }, ["sensor"]),
  PROGRESS,
  PROGRESS_COLUMNS
);
var discard = definition(
  { group: OWN, kind: "Discard", plural: "discards" },
  fields(
    {
      eventBusName: BUS,
      sensor: SENSOR,
      trigger: TRIGGER,
      events: EVENT_IDS,
      reason: text2("Why nothing is to be done; kept in the record.", { minLength: 1, maxLength: 1e3 })
    },
    ["sensor", "reason"]
  ),
  PROGRESS,
  PROGRESS_COLUMNS
);
var eventDefinitions = [
  definition({ group: ARGO, kind: "EventBus", plural: "eventbus", shortNames: ["eb"] }, ANYTHING, ANYTHING),
  definition({ group: ARGO, kind: "EventSource", plural: "eventsources", shortNames: ["es"] }, ANYTHING, ANYTHING),
  definition({ group: ARGO, kind: "Sensor", plural: "sensors", shortNames: ["sn"] }, ANYTHING, ANYTHING),
  replay,
  retry,
  discard
];

// ../../tmp/ev/perf.ts
import { mkdtempSync, rmSync, readFileSync as readFileSync2 } from "node:fs";
var N = Number(process.argv[2] ?? 1e3);
var server = await RealServer.start();
var folder = mkdtempSync("/var/tmp/perf-");
await writeKubeconfig(folder + "/kubeconfig", server.kubeconfig);
var manifests = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.bench.tiphys.dev}
spec:
  group: bench.tiphys.dev
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everything}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: 'system:serviceaccounts'}]
---
apiVersion: argoproj.io/v1alpha1
kind: EventBus
metadata: {name: default, namespace: default}
spec: {jetstream: {version: latest}}
---
apiVersion: argoproj.io/v1alpha1
kind: Sensor
metadata: {name: children, namespace: default}
spec:
  dependencies: [{name: thing, eventSourceName: things, eventName: all}]
  triggers:
    - template:
        name: child
        k8s:
          operation: create
          source: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: child-}, data: {of: ''}}}
          parameters:
            - {src: {dependencyName: thing, dataKey: body.metadata.name}, dest: metadata.name, operation: append}
            - {src: {dependencyName: thing, dataKey: body.metadata.name}, dest: data.of}
---
apiVersion: argoproj.io/v1alpha1
kind: EventSource
metadata: {name: things, namespace: default}
spec: {resource: {all: {namespace: default, group: bench.tiphys.dev, version: v1, resource: things, eventTypes: [ADD]}}}
`;
for (const d of eventDefinitions) await server.client.create(d);
for (const { value } of await readYaml(manifests)) for (let i = 0; i < 100; i++) {
  try {
    await server.client.create(value);
    break;
  } catch (e) {
    await new Promise((r) => setTimeout(r, 50));
  }
}
await buildEngineProgram(folder + "/engine.mjs");
var engine = new EngineProcess("--max-semi-space-size=16", [folder + "/engine.mjs", folder + "/kubeconfig", folder]);
await engine.says("ready");
var cpu = () => {
  const f = readFileSync2(`/proc/${engine.child.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(f[11]) + Number(f[12])) * 10;
};
for (let round = 0; round < 3; round++) {
  let seen = 0;
  const abort = new AbortController();
  const done = (async () => {
    for await (const e of server.client.watch({ apiVersion: "v1", kind: "ConfigMap", namespace: "default" }, { signal: abort.signal })) if (e.type === "ADDED" && e.object.metadata.name.startsWith(`child-r${round}-`)) {
      if (++seen === N) return;
    }
  })();
  const c0 = cpu();
  const t0 = performance.now();
  let next = 0;
  const creators = Array.from({ length: 32 }, async () => {
    while (next < N) {
      const n = next++;
      await server.client.create({ apiVersion: "bench.tiphys.dev/v1", kind: "Thing", metadata: { name: `r${round}-${n}`, namespace: "default" }, spec: { size: n } });
    }
  });
  await Promise.all(creators);
  const t1 = performance.now();
  await done;
  const t2 = performance.now();
  abort.abort();
  console.log(`round ${round}: created ${N} in ${Math.round(t1 - t0)} ms, all children after ${Math.round(t2 - t0)} ms: ${Math.round(N / (t2 - t0) * 1e3)}/s; engine cpu ${cpu() - c0} ms`);
}
var lat = [];
for (let i = 0; i < 30; i++) {
  const abort = new AbortController();
  const w = (async () => {
    for await (const e of server.client.watch({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", fieldSelector: `metadata.name=child-l${i}` }, { signal: abort.signal })) if (e.type === "ADDED") return;
  })();
  await new Promise((r) => setTimeout(r, 30));
  const t0 = performance.now();
  await server.client.create({ apiVersion: "bench.tiphys.dev/v1", kind: "Thing", metadata: { name: `l${i}`, namespace: "default" }, spec: {} });
  const t1 = performance.now();
  await w;
  lat.push(performance.now() - t0);
  abort.abort();
}
console.log("latency p50", lat.sort((a, b) => a - b)[15]);
console.log(readFileSync2(`/proc/${engine.child.pid}/status`, "utf8").match(/VmRSS.*/)[0]);
if (process.argv[3]) {
  for (let n = 0; n < 1e4; ) {
    await Promise.all(Array.from({ length: 50 }, () => server.client.create({ apiVersion: "bench.tiphys.dev/v1", kind: "Thing", metadata: { name: `m-${n++}`, namespace: "default" }, spec: { size: n, text: "x".repeat(500) } })));
  }
  await new Promise((r) => setTimeout(r, 2e4));
  await engine.end("SIGTERM");
  for (const flags of [["--max-semi-space-size=16"], ["--max-semi-space-size=4"]]) {
    const again = new EngineProcess(flags[0], [folder + "/engine.mjs", folder + "/kubeconfig", folder]);
    await again.says("ready");
    await new Promise((r) => setTimeout(r, 1e4));
    console.log("10k restarted", flags, readFileSync2(`/proc/${again.child.pid}/status`, "utf8").match(/VmRSS.*/)[0]);
    await again.end("SIGTERM");
  }
  if (0) console.log("10k", readFileSync2(`/proc/${engine.child.pid}/status`, "utf8").match(/VmRSS.*/)[0]);
}
await engine.end("SIGTERM");
await server.stop();
rmSync(folder, { recursive: true });
process.exit(0);
