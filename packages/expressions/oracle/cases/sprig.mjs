import { random } from './random.mjs'

const main = {
  s: 'Hello World',
  lower: 'lower case text',
  snake: 'some_snake_case',
  camel: 'someHTTPServer2Go',
  u: 'Grüße, 世界',
  n: 42,
  f: 3.75,
  neg: -7.5,
  z: 0,
  t: true,
  no: false,
  nil: null,
  e: '',
  num: '123',
  words: ['banana', 'apple', 'cherry', 'apple'],
  nums: [3, 1, 2, 1],
  mixed: [1, 'two', null, true, [3], { four: 4 }, '', 0],
  none: [],
  m: { a: 1, b: 'two', c: null, d: { e: { f: 'deep' } }, list: [1, 2] },
  other: { a: 9, b: '', z: 'new', d: { e: { g: 'more' }, h: 1 }, list: [3] },
  empty: {},
  maps: [{ name: 'x', v: 1 }, { name: 'y' }, { other: true }],
  json: '{"a":[1,2,{"b":null}],"c":"<&>"}',
  url: 'https://user:pa%20ss@example.com:8080/a%20b/c?x=1&y=2#frag',
}

export const documents = { main }

const r = random(33)

const pools = {
  string: [
    '.s',
    '.lower',
    '.snake',
    '.camel',
    '.u',
    '.e',
    '.num',
    '.json',
    '.url',
    '"a b c"',
    '"one,two,,three"',
    '"  padded\\t\\n"',
    '"FOO_bar-baz Qux"',
    '"HTTPServer"',
    '"id2Name3x"',
    '"--x--"',
    '"line1\\nline2\\n"',
    '"a/b/../c.tar.gz"',
    '"$x$"',
    '"ÄÖÜ straße"',
    '"x"',
    '"12.5"',
    '"-3"',
    '"0x1F"',
    '"true"',
    '"日本語テキスト"',
    '"__Init__ME"',
    '"a.b.c"',
  ],
  short: ['"a"', '","', '""', '" "', '"o"', '"l"', '"/"', '"."', '"ü"', '"two"', '"\\n"', '"lo W"'],
  int: ['0', '1', '2', '3', '5', '7', '10', '-1', '-3', '20', '4'],
  small: ['0', '1', '2', '3', '4'],
  any: [
    '.s',
    '.n',
    '.f',
    '.neg',
    '.z',
    '.t',
    '.no',
    '.nil',
    '.missing',
    '.e',
    '.num',
    '.words',
    '.none',
    '.m',
    '.empty',
    '1',
    '0',
    '-5',
    '2.5',
    '"12"',
    '"abc"',
    '"3.9"',
    'true',
    'nil',
    '(list 1 2)',
    '(dict "k" 1)',
    '(int64 7)',
    '"0b11"',
    '"1_000"',
    '"1e3"',
    '.mixed',
  ],
  number: [
    '1',
    '2',
    '3',
    '10',
    '-4',
    '0',
    '2.5',
    '0.1',
    '0.2',
    '-3.75',
    '"7"',
    '"1.5"',
    '.n',
    '.f',
    '.neg',
    'true',
    '"x"',
    '(int64 9)',
    '1e10',
    '123456789',
    '"-0.25"',
  ],
  list: [
    '.words',
    '.nums',
    '.mixed',
    '.none',
    '(list 1 2 3)',
    '(list "b" "a" "c")',
    '(list)',
    '(until 4)',
    '(splitList "," "x,y,z")',
    '(list 1 1 2 "a" "a" nil)',
    '(list (list 1) (list 1) (dict "a" 1) (dict "a" 1))',
    '(list 0 1 "" "x" false nil)',
  ],
  listish: [
    '.words',
    '.nums',
    '.mixed',
    '.none',
    '(list 1 2 3)',
    '(list)',
    '(until 3)',
    '.s',
    '.n',
    '.m',
    '.nil',
    '(splitList "," "x,y")',
    '1',
    'nil',
  ],
  map: ['.m', '.other', '.empty', '(dict "a" 1 "b" "x")', '(dict)', '(dict "x" (dict "y" 1))'],
  key: ['"a"', '"b"', '"zz"', '"d"', '"list"', '"c"', '""'],
  bool: ['true', 'false', '.t', '.no', '(eq 1 1)', '(empty .e)'],
  regex: [
    '"[a-z]+"',
    '"l+"',
    '"^H"',
    '"(\\\\w)(\\\\w)"',
    '"o"',
    '""',
    '"x*"',
    '"[0-9]+"',
    '"("',
    '"a{2,1}"',
    '"(?P<first>[a-z])(?P<second>[a-z])"',
    '"\\\\s"',
    '"[,.]"',
    '"ü|界"',
    '"*"',
    '"a|b|"',
    '"(?i)hello"',
    '"(?s).*"',
  ],
  replacement: [
    '"X"',
    '"<$1>"',
    '"${1}x"',
    '"$first-$second"',
    '"$$"',
    '""',
    '"$0$0"',
    '"$9"',
    '"$1x"',
    '"${nope}"',
    '"$"',
  ],
  time: [
    'now',
    '(toDate "2006-01-02" "2024-02-29")',
    '(toDate "2006-01-02T15:04:05Z07:00" "2026-07-01T10:20:30+02:00")',
    '(toDate "2006-01-02" "nonsense")',
    '(dateModify "-90m" now)',
    '(toDate "2006-01-02 15:04:05.000" "1999-12-31 23:59:59.999")',
  ],
  layout: [
    '"2006-01-02"',
    '"15:04:05"',
    '"Mon, 02 Jan 2006 15:04:05 MST"',
    '"2006-01-02T15:04:05Z07:00"',
    '"3:04PM"',
    '"Jan _2 06"',
    '"2006-002 .000"',
    '"no layout"',
  ],
  zone: [
    '"UTC"',
    '"Europe/Berlin"',
    '"America/New_York"',
    '"Asia/Kolkata"',
    '"Nowhere"',
    '""',
    '"Local"',
    '"Asia/Tokyo"',
  ],
  duration: ['"1h"', '"-30m"', '"1.5h"', '"90s"', '"3d"', '""', '"2h45m10.5s"', '"x"', '"100ms"'],
  datetext: [
    '"2024-02-29"',
    '"2023-02-29"',
    '"2026-07-01T10:20:30+02:00"',
    '"10:20:30"',
    '"x"',
    '""',
    '"3:04PM"',
    '"Mon, 02 Jan 2006 15:04:05 MST"',
  ],
  version: [
    '"1.2.3"',
    '"v1.2.3"',
    '"1.2"',
    '"1"',
    '"1.2.3-beta.1"',
    '"1.2.3-alpha+build.5"',
    '"0.3.0"',
    '"2.0.0"',
    '"1.2.3.4"',
    '"x"',
    '""',
    '"1.2.03"',
    '"1.2.3-01"',
    '"0.0.3"',
    '"10.20.30"',
    '"1.2.3-rc"',
    '"99999999999999999999.0.0"',
  ],
  constraint: [
    '"1.2.3"',
    '"=1.2.3"',
    '"!=1.2.3"',
    '">1.2"',
    '">=1.2.0"',
    '"<2"',
    '"<=1.2"',
    '"~1.2"',
    '"~1.2.3"',
    '"~1"',
    '"^1.2"',
    '"^0.3"',
    '"^0.0.3"',
    '"^1"',
    '"1.x"',
    '"*"',
    '"1.2 - 1.4"',
    '">=1.0, <2.0"',
    '">1 <3"',
    '"1.2.3 || 2.x"',
    '"~1.2.3-beta"',
    '">= 1.2.3-0"',
    '"x"',
    '""',
    '"~>1.2"',
    '"=>1"',
    '"!=1.x"',
    '"!=1.2.x"',
    '"foo"',
    '">"',
    '"1.2.3 ||"',
    '">1.x"',
    '"<=1.x"',
    '"^1.2.3-beta"',
    '"1 - 2 - 3"',
    '"=<2.1"',
  ],
  path: [
    '"/a/b/c.txt"',
    '"a//b/./c/../d"',
    '""',
    '"/"',
    '"///"',
    '"../x"',
    '"/../x"',
    '"file"',
    '"dir/"',
    '".hidden"',
    '"a.tar.gz"',
    '"a/b.c/d"',
    '"."',
    '".."',
    '"a/../.."',
    '"./x"',
  ],
  b64: [
    '"aGVsbG8="',
    '"aGVsbG8"',
    '"aGVs bG8="',
    '"!!!!"',
    '""',
    '"aGVsbG8=="',
    '"aGVs\\nbG8="',
    '"4pyT"',
    '"/w=="',
    '"a"',
    '"aa=a"',
    '"aGVsbG8=x"',
    '"====" ',
  ],
  b32: [
    '"NBSWY3DP"',
    '"NBSWY3DPEE======"',
    '"nbswy3dp"',
    '""',
    '"NBSWY3D"',
    '"ME======"',
    '"ME====="',
    '"M======="',
    '"1"',
    '"NBSW=3DP"',
    '"ME======ME======"',
    '"MFRA===="',
    '"MFRGG==="',
    '"MFRGGZA="',
    '"MFR====="',
  ],
  json: [
    '.json',
    '"[1, 2.5, -3e2, \\"x\\"]"',
    '"{}"',
    '"null"',
    '"true"',
    '"{\\"a\\":1"',
    '"[1,]"',
    '"x"',
    '""',
    '"{a:1}"',
    '"\\"\\\\u00e9\\\\n\\""',
    '"1 2"',
    '"[1 2]"',
    '"{\\"a\\" 1}"',
    '"01"',
    '"1."',
    '"-"',
    '"1e"',
    '"nul"',
    '"tru"',
    '"\\"abc"',
    '"{\\"a\\":1,\\"a\\":2}"',
    '"{\\"a\\":1 \\"b\\":2}"',
    '"\\"\\\\x\\""',
    '"\\"\\\\u12G4\\""',
    '" [ ] "',
    '"1e999"',
    '"{,}"',
    '"[\'a\']"',
    '"\\"\\\\ud83d\\\\ude00\\""',
  ],
  url: [
    '.url',
    '"http://example.com"',
    '"/path/only?q=1"',
    '"mailto:a@b.c"',
    '"http://[::1]:80/x"',
    '"//host/p"',
    '"http://h/%zz"',
    '""',
    '"http://a b"',
    '"ftp://u@h"',
    '"a:b"',
    '":x"',
    '"http://h:port/"',
    '"https://h?a=b#c d"',
    '"http://ü.de/ä"',
  ],
}

const functions = {
  hello: [''],
  abbrev: ['int string'],
  abbrevboth: ['int int string'],
  trunc: ['int string'],
  trim: ['string'],
  upper: ['string'],
  lower: ['string'],
  title: ['string'],
  untitle: ['string'],
  substr: ['int int string'],
  repeat: ['small string'],
  trimall: ['short string'],
  trimAll: ['short string'],
  trimSuffix: ['short string'],
  trimPrefix: ['short string'],
  nospace: ['string'],
  initials: ['string'],
  swapcase: ['string'],
  snakecase: ['string'],
  camelcase: ['string'],
  kebabcase: ['string'],
  wrap: ['int string'],
  wrapWith: ['int short string'],
  contains: ['short string'],
  hasPrefix: ['short string'],
  hasSuffix: ['short string'],
  quote: ['any', 'any any', 'any any any'],
  squote: ['any', 'any any'],
  cat: ['any any', 'any any any'],
  indent: ['small string'],
  nindent: ['small string'],
  replace: ['short short string'],
  plural: ['string string int'],
  sha1sum: ['string'],
  sha256sum: ['string'],
  sha512sum: ['string'],
  adler32sum: ['string'],
  toString: ['any'],
  atoi: ['string'],
  int64: ['any'],
  int: ['any'],
  float64: ['any'],
  seq: ['int', 'int int', 'int int int', ''],
  toDecimal: ['any', 'number'],
  split: ['short string'],
  splitList: ['short string'],
  splitn: ['short int string'],
  toStrings: ['any', 'listish'],
  until: ['int'],
  untilStep: ['int int int'],
  add1: ['any', 'number'],
  add: ['any any', 'number number number', ''],
  sub: ['number number', 'any any'],
  div: ['number number', 'any number'],
  mod: ['number number'],
  mul: ['number number', 'number number number'],
  add1f: ['number'],
  addf: ['number number', 'number number number', ''],
  subf: ['number number', 'number number number'],
  divf: ['number number', 'number number number'],
  mulf: ['number number', 'number number number'],
  biggest: ['number number'],
  max: ['number number number'],
  min: ['number number number'],
  maxf: ['number number'],
  minf: ['number number'],
  ceil: ['number'],
  floor: ['number'],
  round: ['number small', 'number int', 'number small 0.3'],
  join: ['short listish'],
  sortAlpha: ['listish'],
  default: ['any any', 'any'],
  empty: ['any'],
  coalesce: ['any any', 'any any any', ''],
  all: ['any any', ''],
  any: ['any any', ''],
  compact: ['listish'],
  mustCompact: ['listish'],
  fromJson: ['json'],
  toJson: ['any', 'list', 'map', 'time'],
  toPrettyJson: ['any', 'list', 'map'],
  toRawJson: ['any', 'string', 'map'],
  mustFromJson: ['json'],
  mustToJson: ['any', 'list'],
  mustToPrettyJson: ['any', 'map'],
  mustToRawJson: ['any', 'string'],
  ternary: ['any any bool'],
  deepCopy: ['any'],
  mustDeepCopy: ['any'],
  typeOf: ['any', 'list', 'time'],
  typeIs: ['"string" any', '"[]interface {}" list', '"int" any', '"float64" any'],
  typeIsLike: [
    '"semver.Version" (semver "1.2.3")',
    '"string" any',
    '"map[string]interface {}" map',
    '"bool" any',
    '"int64" any',
  ],
  kindOf: ['any', 'list', 'time'],
  kindIs: ['"map" any', '"slice" list', '"string" any', '"int" any', '"invalid" any'],
  deepEqual: ['any any', 'list list', 'map map'],
  base: ['path'],
  dir: ['path'],
  clean: ['path'],
  ext: ['path'],
  isAbs: ['path'],
  osBase: ['path'],
  osClean: ['path'],
  osDir: ['path'],
  osExt: ['path'],
  osIsAbs: ['path'],
  b64enc: ['string'],
  b64dec: ['b64', 'string'],
  b32enc: ['string'],
  b32dec: ['b32', 'string'],
  tuple: ['any any'],
  list: ['any any', 'any any any', ''],
  dict: ['key any', 'key any key any', 'any any', 'key'],
  get: ['map key'],
  set: ['map key any'],
  unset: ['map key'],
  hasKey: ['map key'],
  pluck: ['key map map', 'key map'],
  pick: ['map key', 'map key key'],
  omit: ['map key', 'map key key'],
  merge: ['map map', 'map map map'],
  mergeOverwrite: ['map map', 'map map map'],
  mustMerge: ['map map'],
  mustMergeOverwrite: ['map map'],
  append: ['listish any'],
  push: ['listish any'],
  mustAppend: ['listish any'],
  mustPush: ['listish any'],
  prepend: ['listish any'],
  mustPrepend: ['listish any'],
  first: ['listish'],
  mustFirst: ['listish'],
  rest: ['listish'],
  mustRest: ['listish'],
  last: ['listish'],
  mustLast: ['listish'],
  initial: ['listish'],
  mustInitial: ['listish'],
  reverse: ['listish'],
  mustReverse: ['listish'],
  uniq: ['listish', 'list'],
  mustUniq: ['listish'],
  without: ['listish any', 'list any any'],
  mustWithout: ['listish any'],
  has: ['any listish'],
  mustHas: ['any listish'],
  slice: ['list small', 'list small small', 'listish small'],
  mustSlice: ['list small', 'listish small small'],
  concat: ['list list', 'listish list', ''],
  dig: ['key key any map', '"d" "e" "f" any .m', '"d" "e" "x" any .m', '"a" "b" any .m', 'key any map', 'any'],
  chunk: ['int listish', 'small list'],
  mustChunk: ['int listish'],
  derivePassword: [
    '1 "long" "password" "user" "example.com"',
    '2 "pin" "p" "ü" "s"',
    '1 "nope" "p" "u" "s"',
    '1 "long" "p" "u"',
    '-1 "long" "p" "u" "s"',
    '4294967296 "none" "p" "u" "s"',
  ],
  decryptAES: [
    '"key" "short"',
    '"key" ""',
    '"key" "AAAA"',
    '"key" "AAAAAAAAAAAAAAAAAAAAAA=="',
    '"secretkey" "30tEfhuJSVRhpG97XCuWgz2okj7L8vQ1s6V9zVUPeDQ="',
    '"key" "AAAAAAAAAAAAAAAAAAAAAAAA"',
  ],
  semver: ['version'],
  semverCompare: ['constraint version', 'constraint version', 'constraint version', 'constraint version'],
  fail: ['string'],
  regexMatch: ['regex string'],
  mustRegexMatch: ['regex string'],
  regexFindAll: ['regex string int'],
  mustRegexFindAll: ['regex string int'],
  regexFind: ['regex string'],
  mustRegexFind: ['regex string'],
  regexReplaceAll: ['regex string replacement'],
  mustRegexReplaceAll: ['regex string replacement'],
  regexReplaceAllLiteral: ['regex string replacement'],
  mustRegexReplaceAllLiteral: ['regex string replacement'],
  regexSplit: ['regex string int'],
  mustRegexSplit: ['regex string int'],
  regexQuoteMeta: ['string'],
  urlParse: ['url'],
  urlJoin: [
    '(urlParse url)',
    'map',
    '(dict "scheme" "http" "host" "h" "path" path)',
    '(dict "host" any)',
    '(dict "path" string "query" short "fragment" short)',
    '(dict "userinfo" short "host" "h")',
  ],
  date: ['layout time', 'layout int'],
  date_in_zone: ['layout time zone'],
  dateInZone: ['layout time zone', 'layout int zone', 'layout (int64 1700000000) zone'],
  date_modify: ['duration time'],
  dateModify: ['duration time'],
  must_date_modify: ['duration time'],
  mustDateModify: ['duration time'],
  duration: ['any', '"95"', '(int64 3601)', 'number', '"99999999999999999999"'],
  durationRound: ['duration', '(int64 7200000000001)', 'any', '"25h"', '"8761h"', '"61s"', '"-721h"'],
  htmlDate: ['time', '0', '(int64 86400)'],
  htmlDateInZone: ['time zone', '0 zone'],
  mustToDate: ['layout datetext'],
  toDate: ['layout datetext'],
  unixEpoch: ['time', 'any'],
  ago: ['short string'],
  keys: ['(dict "a" 1)', '(dict)', '(dict "x" nil)', '.empty (dict "q" 1)', 'any'],
  values: ['(dict "a" 1)', '(dict)', '(dict "x" nil)', '(dict "q" (list 1))', 'any'],
}

/** An argument of the pool's kind; what is no kind stands for itself. */
function fill(signature) {
  return signature
    .split(/(\s+|[()])/)
    .map(part => (pools[part] === undefined ? part : r.pick(pools[part])))
    .join('')
}

const wrong = ['.l', '1', '"x"', 'nil', '.nil', '.missing', '(list)', '(dict)', 'true', '1.5']

const bySignature = Object.entries(functions).flatMap(([name, signatures]) =>
  signatures.flatMap(signature => {
    const count =
      signature === '' || !signature.split(/[\s()]+/).some(part => pools[part]) ? 1 : Math.ceil(16 / signatures.length)
    return Array.from({ length: count }, () => {
      const args = fill(signature)
      return r.pick([
        `{{${name} ${args}}}`,
        `{{printf "%#v" (${name} ${args})}}`,
        `{{${name} ${args} | toJson}}`,
        `{{${name} ${args} | printf "%v|%T" 1}}`,
      ])
    })
  }),
)

// What they are given wrongly, these take for now.
const readsClock = ['ago', 'date', 'date_in_zone', 'dateInZone', 'htmlDate', 'htmlDateInZone']

const misused = Object.keys(functions).flatMap(name =>
  readsClock.includes(name)
    ? [`{{${name}}}`, `{{${name} 1 2 3 4}}`, `{{${name} nil 1}}`, `{{.m | ${name} 2.5 true nil}}`]
    : [
        `{{${name}}}`,
        `{{${name} ${r.pick(wrong)}}}`,
        `{{${name} ${r.pick(wrong)} ${r.pick(wrong)}}}`,
        `{{${r.pick(wrong)} | ${name} ${r.pick(wrong)}}}`,
      ],
)

const table = String.raw`
{{len (randAlpha 5)}} {{len (randAlphaNum 7)}} {{len (randNumeric 3)}} {{len (randAscii 4)}} {{len (randBytes 3)}} {{len uuidv4}}
{{randAlpha 0}}|{{randAlpha -1}}|{{randAscii 0}}|{{randNumeric 0}}|{{randAlphaNum 0}}|{{randBytes 0}}
{{randBytes -1}}
{{randBytes "x"}}
{{randAlpha "x"}}
{{randAlphaNum 1.5}}
{{randNumeric}}
{{randAscii nil}}
{{randInt 3 4}} {{randInt -2 -1}} {{randInt 0 1}}
{{randInt 4 3}}
{{randInt 1 1}}
{{randInt "a" 1}}
{{len (shuffle "abc")}} {{shuffle ""}} {{shuffle "aaa"}} {{len (shuffle "héé")}}
{{shuffle 1}}
{{len (bcrypt "secret")}} {{substr 0 7 (bcrypt "x")}}
{{bcrypt "0123456789012345678901234567890123456789012345678901234567890123456789012"}}
{{bcrypt 1}}
{{bcrypt}}
{{len (htpasswd "user" "pass")}}
{{htpasswd "us:er" "pass"}}
{{htpasswd "u"}}
{{htpasswd 1 "x"}}
{{htpasswd "user" "0123456789012345678901234567890123456789012345678901234567890123456789012"}}
{{decryptAES "key" (encryptAES "key" "plain text")}}
{{decryptAES "key" (encryptAES "key" "exactly sixteen!")}}
{{decryptAES "a key that is longer than thirty-two bytes, surely" (encryptAES "a key that is longer than thirty-two bytes, surely" "grüße")}}
{{encryptAES "key" ""}}|{{decryptAES "key" ""}}
{{len (encryptAES "key" "x")}}
{{encryptAES "k"}}
{{encryptAES 1 2}}
{{uuidv4 1}}
{{getHostByName}}
{{getHostByName 1}}
{{getHostByName "a" "b"}}
{{genCA}}
{{now | date "2006-01-02T15:04:05.000Z07:00"}} {{now | unixEpoch}} {{now.Year}} {{now.Month}} {{now.Weekday}} {{now.YearDay}} {{now.Unix}} {{now.UnixMilli}}
{{now}}
{{now | toJson}} {{now | typeOf}} {{now | kindOf}} {{now | quote}} {{now | toString}} {{printf "%#v" now}}
{{(now.AddDate 0 1 -3).Format "Jan 2"}}
{{now.Sub (toDate "2006-01-02" "2026-03-01")}} {{(now.Sub (toDate "2006-01-02" "2026-03-01")).Hours}}
{{now.Before (dateModify "1h" now)}} {{now.After now}} {{now.Equal now}} {{now.IsZero}} {{(toDate "2006" "x").IsZero}}
{{now.Foo}}
{{now.Format}}
{{now.Format 1}}
{{now.Year 1}}
{{printf "%d %s" now.Month now.Month}} {{now.Month | int}} {{add now.Month 1}}
{{eq now now}}
{{(semver "1.2.3-beta+x").Major}} {{(semver "1.2.3-beta+x").Minor}} {{(semver "1.2.3-beta+x").Patch}} {{(semver "1.2.3-beta+x").Prerelease}} {{(semver "1.2.3-beta+x").Metadata}} {{(semver "v1.2").Original}}
{{(semver "1.2.3").IncMajor}} {{(semver "1.2.3").IncMinor}} {{(semver "1.2.3-x").IncPatch}} {{(semver "v1.2.3").IncPatch.Original}}
{{(semver "1.2.3").SetPrerelease "rc.1"}} {{(semver "1.2.3").SetMetadata "b1"}}
{{(semver "1.2.3").SetPrerelease "01"}}
{{(semver "1.2.3").SetMetadata "a b"}}
{{(semver "1.2.3").Compare (semver "1.2.4")}} {{(semver "1.2.3").LessThan (semver "1.2.4")}} {{(semver "1.2.3").Equal (semver "v1.2.3")}} {{(semver "1.2.3-a").GreaterThan (semver "1.2.3-b")}}
{{(semver "1.2.3").Compare "x"}}
{{(semver "1.2.3").Nope}}
{{semver "1.2.3" | toJson}} {{semver "1.2.3" | typeOf}} {{semver "1.2.3" | kindOf}} {{printf "%s" (semver "1.2.3")}} {{printf "%#v" (semver "1.2.3-a")}}
{{$d := dict "a" 1}}{{$_ := set $d "b" 2}}{{$d}} {{$_ := unset $d "a"}}{{$d}}
{{$_ := set .m "new" "x"}}{{.m.new}} {{hasKey .m "new"}}
{{$a := dict "x" (dict "y" 1)}}{{$b := deepCopy $a}}{{$_ := set $b.x "y" 2}}{{$a.x.y}}{{$b.x.y}}
{{merge (dict) .m .other | toJson}}
{{merge .m .other | toJson}}
{{mergeOverwrite (dict) .m .other | toJson}}
{{mergeOverwrite .m .other | toJson}}
{{merge (dict "a" (list) "b" (dict) "c" 0) (dict "a" (list 1) "b" (dict "x" 1) "c" 5) | toJson}}
{{mergeOverwrite (dict "a" (list 1) "b" "s") (dict "a" (list) "b" nil "c" "") | toJson}}
{{merge (dict "a" "str") (dict "a" (dict "x" 1)) | toJson}} {{mergeOverwrite (dict "a" "str") (dict "a" (dict "x" 1)) | toJson}}
{{merge (dict "a" (dict "x" 1)) (dict "a" "str") | toJson}} {{mergeOverwrite (dict "a" (dict "x" 1)) (dict "a" "str") | toJson}}
{{mergeOverwrite (dict "a" (dict "x" 1 "y" 2)) (dict "a" (dict "x" 9)) | toJson}}
{{merge nil .m | toJson}}
{{set nil "a" 1}}
{{keys .m | sortAlpha}} {{values (dict "a" 1) | toJson}} {{keys .m .other | sortAlpha | uniq | join ","}}
{{range $i, $w := .words}}{{if $i}}, {{end}}{{$w | upper}}{{end}}
{{.words | sortAlpha | uniq | join "-"}}
{{.s | upper | lower | title | untitle | swapcase}}
{{.s | replace " " "_" | trunc 5 | quote}}
{{default "x" .missing}} {{default "x" .e}} {{.nil | default "d"}} {{.s | default "d"}} {{default 0 .z}}
{{ternary "a" "b" true}} {{true | ternary "a" "b"}} {{eq 1 2 | ternary "a" "b"}}
{{ternary "a" "b" 1}}
{{fail "boom"}}
{{fail (printf "no %s" .s)}}
{{if not .missing}}{{fail "missing is required"}}{{end}}
{{env "HOME"}}
{{expandenv "$HOME"}}
{{list 1 2 3 | first}} {{list 1 2 3 | rest}} {{list 1 2 3 | last}} {{list 1 2 3 | initial}}
{{$l := list}}{{range until 5}}{{$l = append $l .}}{{end}}{{$l}}
{{range $k, $v := split "," "a,b,c"}}{{$k}}{{$v}};{{end}} {{(split "," "a,b")._1}} {{(split "," "a")._9}}
{{(splitn "," 2 "a,b,c")._1}}
{{printf "%v %v" (until 3) (untilStep 10 0 -3)}} {{untilStep 0 10 0}} {{untilStep 3 3 1}} {{until -3}}
{{seq 5}} {{seq -3}} {{seq 2 5}} {{seq 5 2}} {{seq 0 2 10}} {{seq 0 -2 -5}} {{seq 5 1 0}} {{seq 1 2 3 4}} {{seq 0}} {{seq 1}}
{{urlParse .url | toJson}} {{(urlParse .url).host}} {{urlJoin (urlParse .url)}}
{{urlJoin (dict "scheme" "https" "host" "h:1" "path" "/a b" "query" "x=1" "fragment" "f" "userinfo" "u:p")}}
{{urlJoin (dict "host" 1)}}
{{urlJoin (dict "host" nil)}}
{{urlJoin (dict "path" "a:b/c")}}
{{toJson .}} 
{{toPrettyJson .m}}
{{toRawJson .json}} {{toJson .json}}
{{toPrettyJson (list)}} {{toPrettyJson (dict)}} {{toPrettyJson (list 1 (list) (dict "a" (dict)))}}
{{fromJson .json | toJson}} {{(fromJson .json).c}} {{index (fromJson .json).a 2}}
{{toJson (list 1.5 1e21 1e-7 100 -0.0 123456789012345678)}} {{toJson 1i}} {{toJson "\u2028<>&\x00\x7f\xff"}}
{{mustToJson 1i}}
{{toRawJson 1i}}
{{wrap 10 "The quick brown fox jumps over the lazy dog"}}
{{wrapWith 5 "|" "The quickest brown fox"}}
{{wrap 3 "abcdefgh ij klmnop"}}
{{"a,b" | splitList "," | last | printf "%s!"}}
{{regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"}} {{regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W"}} {{regexReplaceAllLiteral "a(x*)b" "-ab-axxb-" "$1"}}
{{regexSplit "z+" "pizza" -1}} {{regexSplit "z+" "pizza" 2}} {{regexFindAll "[2,4,6,8]" "123456789" -1}}
{{regexFindAll "x" "abc" -1 | toJson}} {{regexSplit "x" "abc" 0 | toJson}}
{{typeOf (list 1)}} {{typeOf (dict)}} {{typeOf (until 1)}} {{typeOf (splitList "," "a")}} {{typeOf (split "," "a")}} {{typeOf (chunk 1 (list 1))}} {{typeOf nil}} {{typeOf 1}} {{typeOf 1.5}} {{typeOf (int64 1)}} {{typeOf (add 1 1)}} {{typeOf .n}} {{typeOf true}} {{typeOf "s"}}
{{add 9223372036854775807 1}} {{mul 9223372036854775807 2}} {{sub -9223372036854775808 1}} {{div -9223372036854775808 -1}} {{div 7 -2}} {{mod -7 3}}
{{addf 0.1 0.2}} {{subf 1 0.9}} {{mulf 1.1 1.1}} {{divf 1 3}} {{divf 10 4 2}} {{divf -1 3}} {{divf 2 3}} {{divf -2 3}} {{divf 1e-10 3e5}}
{{divf 1 0}}
{{addf "inf" 1}}
{{round 3.14159 2}} {{round 2.5 0}} {{round -2.5 0}} {{round 2.49 1 0.9}} {{round 123.456 -1}} {{round "2.675" 2}}
{{round 1 "a"}}
{{floor -1.5}} {{ceil -1.5}} {{floor "x"}} {{ceil 1e300}}
{{int "12abc"}} {{int "012"}} {{int "0x1f"}} {{int 1e30}} {{int -2.9}} {{int "9223372036854775808"}} {{atoi "99999999999999999999"}} {{atoi "-99999999999999999999"}} {{atoi "1.5"}} {{int "3.99"}} {{int "-.5"}} {{int "1e3"}} {{int64 true}} {{float64 "0x1p-2"}} {{float64 "1e999"}} {{float64 "nan"}} {{float64 "-Inf"}} {{float64 "1_0"}}
{{duration "86400"}} {{duration 60}} {{duration (int64 60)}} {{durationRound "2h10m5s"}} {{durationRound "2400h10m5s"}}
{{b64enc .u}} {{b64dec (b64enc .u)}} {{b32enc .u}} {{b32dec (b32enc .u)}} {{b64dec "/w=="}} {{len (b64dec "/w==")}}
{{trunc 3 .u}} {{trunc -4 .u}} {{substr 0 3 .u}} {{len (trunc 3 .u)}} {{trunc 3 .u | upper}} {{trunc 3 .u | toJson}} {{cat (trunc 3 .u) (trunc -2 .u)}} {{printf "%q" (trunc 3 .u)}} {{printf "%x" (trunc 3 .u)}} {{print (slice (list 1 2) 0 1)}}
{{print (trunc 3 .u) (substr 3 4 .u)}}
{{initials "First Try"}} {{initials "é à"}} {{nospace "é à"}} {{nospace "éà"}} {{nospace " h e l l o "}}
{{plural "one" "many" 1}} {{plural "one" "many" 0}} {{len (list 1 2) | plural "one" "many"}}
{{snakecase "FirstName"}} {{snakecase "HTTPServer"}} {{snakecase "NoHTTPS"}} {{snakecase "GO_PATH"}} {{snakecase "GO PATH"}} {{snakecase "http2xx"}} {{snakecase "HTTP20xOK"}} {{snakecase "Duration2m3s"}} {{snakecase "Bld4Floor3rd"}} {{snakecase "  sentence case  "}} {{snakecase "_Mixed-hyphen case _and SENTENCE_case and UPPER-case"}}
{{kebabcase "FirstName"}} {{kebabcase "HTTP_Server"}} {{kebabcase "2Fast"}} {{kebabcase "a.b.C"}} {{kebabcase "Über Straße"}} {{kebabcase "日本Go"}} {{kebabcase "x#y"}} {{kebabcase "A1B2c3"}}
{{camelcase "http_server"}} {{camelcase "no_https"}} {{camelcase "_complex__case_"}} {{camelcase "all"}} {{camelcase "GOLANG_IS_GREAT"}} {{camelcase "some words here"}} {{camelcase "a-b-c"}} {{camelcase "-x"}} {{camelcase "__"}} {{camelcase "ID_2x"}}
{{abbrev 5 "hello world"}} {{abbrevboth 5 10 "1234 5678 9123"}} {{abbrev 3 "hello"}} {{abbrevboth 20 10 "1234 5678 9123 4567"}} {{abbrev 8 .u}} {{abbrevboth 6 7 "abcdefghijklmnopq"}}
{{dig "d" "e" "f" "def" .m}} {{dig "d" "q" "f" "def" .m}} {{dig "a" "x" "def" .m}}
{{dig "a" .m}}
{{dig 1 "x" .m}}
{{dig "b" "x" "d" .m}}
{{dig "a" "b" "c"}}
{{pluck "name" (index .maps 0) (index .maps 1) (index .maps 2)}} {{pluck "a" .m .other}}
{{index .maps 0 | pick "name"}}
{{pick .m "a" "b"}} {{omit .m "a" "d"}} {{pick .m}} {{omit .m}}
{{get .m "a"}} {{get .m "zz"}} {{get .m "c"}}
{{get .s "a"}}
{{chunk 2 (list 1 2 3 4 5)}} {{chunk 3 (list)}} {{chunk 5 (list 1)}} {{chunk 2 (until 4)}}
{{chunk 0 (list 1)}}
{{concat (list 1) (list 2 3) (until 2)}} {{concat | toJson}} {{concat (list) (list) | toJson}}
{{without .words "apple"}} {{without .nums 1.0}} {{without .nums 1}} {{has "apple" .words}} {{has 1 .nums}} {{has 1.0 .nums}}
{{uniq .words}} {{compact .mixed}} {{reverse .words}} {{sortAlpha (list 3 20 "a" nil)}}
{{slice .words 1 3}} {{slice .words 1}} {{slice .words}} {{slice (list) 1}}
{{slice .words 3 1}}
{{slice .words 0 9}}
{{slice .words -1}}
{{slice "abc" 1}}
{{first "abc"}}
{{first nil}}
{{push .s 1}}
{{prepend nil 1}}
{{rest (list) | toJson}} {{initial (list) | toJson}} {{first (list) | toJson}} {{reverse (list) | toJson}}
{{indent 2 "a\nb"}}|{{nindent 2 "a\nb"}}|{{indent 0 "x"}}
{{indent -1 "x"}}
{{repeat -1 "x"}}
{{substr 3 1 "hello"}}
{{substr -1 9 "hello"}}
{{substr 9 10 "hello"}} {{substr 9 -1 "hello"}}
{{substr 1 3 "hello"}} {{substr -1 3 "hello"}} {{substr 2 -1 "hello"}}
{{trimAll "$" "$5.00$"}} {{trimPrefix "-" "--x"}} {{trimSuffix "-" "x--"}} {{trim "  x "}} {{trimall "ab" "abcba"}}
{{title "hello wORLD foo-bar baz_qux"}} {{untitle "Hello World"}} {{upper "straße ŉ ǆ"}} {{lower "İSTANBUL ΣΑΣ"}} {{title "ǆ élan"}} {{swapcase "Hello ǅ World"}}
{{toString 1.0}} {{toString .nil}} {{toString (list 1 "a")}} {{toString true}} {{toStrings (list 1 nil "x")}} {{toStrings 5}} {{toStrings nil}}
{{join "," (list 1 nil 2)}} {{join "," "abc"}} {{join "," 5}} {{join "," nil}} {{join "-" (until 3)}}
{{quote "a" nil 1 "b\"c"}} {{squote "it's" 2}} {{cat "a" nil 1 true}} {{quote .words}} {{quote}} {{cat}}
{{adler32sum "hello"}} {{sha1sum ""}} {{sha256sum "ü"}}
{{coalesce .nil "" 0 "x"}} {{coalesce}} {{all 1 "a"}} {{all 1 ""}} {{any 0 ""}} {{any 0 "x"}} {{empty .none}} {{empty .m}} {{empty now}}
{{deepEqual (list 1 2) (list 1 2)}} {{deepEqual 1 1.0}} {{deepEqual .m .m}} {{deepEqual nil .nil}} {{deepEqual (until 1) (list 0)}} {{deepEqual (rest (list)) (list)}}
{{dateInZone "2006-01-02 15:04 MST" now "Europe/Berlin"}} {{date "2006-01-02" 0}} {{htmlDate 86400}} {{htmlDateInZone now "Asia/Tokyo"}} {{dateInZone "15:04" now "Nope"}}
{{dateModify "1.5h" now | date "15:04"}} {{now | date_modify "-1h" | date "15:04"}} {{dateModify "bad" now | date "15:04"}}
{{mustDateModify "bad" now}}
{{mustToDate "2006-01-02" "2026-02-30"}}
{{mustToDate "2006-01-02" "x"}}
{{toDate "2006-01-02" "x" | unixEpoch}}
{{unixEpoch "x"}}
{{mustRegexMatch "(" "x"}}
{{regexMatch "(" "x"}} {{regexMatch "^a" "abc"}}
{{regexFind "(" "x"}}
{{mustRegexFind "a**" "x"}}
{{mustFromJson "{"}}
{{semver "x"}}
{{semverCompare "^1.2" "1.3.0"}} {{semverCompare ">=1.0 <2" "1.5"}} {{semver "1.2.3" | printf "%v"}}
{{genPrivateKey}}
{{genPrivateKey "x" 1}}
{{genPrivateKey 1 2 3 4 5 6 7 8}}
{{buildCustomCert}}
{{buildCustomCert "a"}}
{{buildCustomCert 1 2 3 4 5 6 7 8}}
{{genCA}}
{{genCA "a"}}
{{genCA 1 2 3 4 5 6 7 8}}
{{genCAWithKey}}
{{genCAWithKey "a" 1}}
{{genCAWithKey 1 2 3 4 5 6 7 8}}
{{genSelfSignedCert}}
{{genSelfSignedCert "a" nil nil}}
{{genSelfSignedCert 1 2 3 4 5 6 7 8}}
{{genSelfSignedCertWithKey}}
{{genSelfSignedCertWithKey "a" nil nil 1}}
{{genSelfSignedCertWithKey 1 2 3 4 5 6 7 8}}
{{genSignedCert}}
{{genSignedCert "a" nil nil 1}}
{{genSignedCert 1 2 3 4 5 6 7 8}}
{{genSignedCertWithKey}}
{{genSignedCertWithKey "a" nil nil 1}}
{{genSignedCertWithKey 1 2 3 4 5 6 7 8}}
{{genPrivateKey 1}}
{{genPrivateKey nil}}
{{genPrivateKey .nil}}
{{buildCustomCert 1 2}}
{{buildCustomCert "a" nil}}
{{buildCustomCert .m .m}}
{{genCA 1 1}}
{{genCA "a" "b"}}
{{genCA "a" 1.5}}
{{genCAWithKey 1 1 "x"}}
{{genCAWithKey "a" "b" "x"}}
{{genCAWithKey "a" 1 1}}
{{genSelfSignedCert 1 nil nil 1}}
{{genSelfSignedCert "a" "b" nil 1}}
{{genSelfSignedCert "a" nil nil "x"}}
{{genSelfSignedCertWithKey 1 nil nil 1 "x"}}
{{genSelfSignedCertWithKey "a" nil 1 1 "x"}}
{{genSelfSignedCertWithKey "a" nil nil 1 1}}
{{genSignedCert 1 nil nil 1 nil}}
{{genSignedCert "a" .s nil 1 nil}}
{{genSignedCertWithKey 1 nil nil 1 nil "x"}}
{{genSignedCertWithKey "a" nil .m 1 nil "x"}}
{{gt 1 2}}{{lt 1 2}}{{le 1 2}}{{ge 1 2}}
{{gte 1 2}}
{{lte 1 2}}
{{getHostByName nil}}
{{getHostByName .m}}
{{getHostByName .missing}}
{{env}}
{{expandenv 1}}
{{uuidv4 | len}}
{{uuidv4 | trunc 0}}|
{{uuidv4 "x"}}
{{regexMatch "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$" uuidv4}}
{{shuffle}}
{{shuffle nil}}
{{shuffle "x"}}
{{shuffle "aa" | len}}
{{randInt 1}}
{{randInt 5 6 | typeOf}}
{{randBytes 4 | len}}
{{randBytes}}
{{bcrypt nil}}
{{bcrypt .m}}
{{regexMatch "^[a-zA-Z]{20}$" (randAlpha 20)}} {{regexMatch "^[a-zA-Z0-9]{20}$" (randAlphaNum 20)}} {{regexMatch "^[0-9]{20}$" (randNumeric 20)}} {{regexMatch "^[ -~]{20}$" (randAscii 20)}}
{{randAlpha nil}}
{{randAlphaNum nil}}
{{randNumeric nil}}
{{randAscii 1 2}}
{{randAlpha .m}}
{{randAlphaNum "x"}}
{{randNumeric .s}}
{{randAscii "x"}}
`
  .split('\n')
  .slice(1)
  .filter(line => line !== '')

export const cases = [...table, ...bySignature, ...misused].map(t => ({ t, d: 'main' }))
