import { parse } from './parser.ts'
import type { Definition } from './syntax-tree.ts'

/** The builtins that jq itself can say. Whatever may stand in a path must be here rather than in TypeScript. */
const source = `
def not: if . then false else true end;
def select(f): if f then . else empty end;
def map(f): [.[] | f];
def map_values(f): .[] |= f;
def add(f): [f] | add;
def in(container): . as $key | container | has($key);
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select((type == "array") or (type == "object"));
def scalars: select((type != "array") and (type != "object"));
def finites: select(isfinite);
def normals: select(isnormal);

def recurse(f): def down: ., (f | down); down;
def recurse(f; keep): def down: ., (f | select(keep) | down); down;
def recurse: recurse(.[]?);
def while(keep; next): def loop: if keep then ., (next | loop) else empty end; loop;
def until(done; next): def loop: if done then . else (next | loop) end; loop;
def repeat(f): def again: f, again; again;
def range($to): _range(0; $to; 1);
def range($from; $to): _range($from; $to; 1);
def range($from; $to; $step): _range($from; $to; $step);
def walk(f):
  def visit: (if type == "array" then map(visit) elif type == "object" then map_values(visit) else . end) | f;
  visit;
def combinations: if length == 0 then [] else .[0][] as $head | [$head] + (.[1:] | combinations) end;
def combinations(n): [limit(n; repeat(.))] | combinations;

def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def first(f): label $done | (f | ., break $done);
def last(f): _last(f);
def nth($n; f): if $n >= 0 then first(skip($n; f)) else error("nth doesn't support negative index") end;
def limit($n; f):
  if $n > 0 then
    label $done | foreach f as $item ($n; . - 1; $item, (if . <= 0 then break $done else empty end))
  elif $n == 0 then empty
  else error("limit doesn't support negative count") end;
def skip($n; f):
  if $n > 0 then foreach f as $item ($n; . - 1; if . < 0 then $item else empty end)
  elif $n == 0 then f
  else error("skip doesn't support negative count") end;
def isempty(f): label $done | ((f | (false, break $done)), true);
def all(source; test): isempty(source | select(test | not));
def all(test): all(.[]; test);
def all: all(.);
def any(source; test): isempty(source | select(test)) | not;
def any(test): any(.[]; test);
def any: any(.);

def to_entries: [keys[] as $key | {key: $key, value: .[$key]}];
def from_entries:
  map({(.key // .Key // .name // .Name): (if has("value") then .value else .Value end)}) | add // {};
def with_entries(f): to_entries | map(f) | from_entries;
def min_by(f): _min_by(map([f]));
def max_by(f): _max_by(map([f]));
def sort_by(f): _sort_by(map([f]));
def group_by(f): _group_by(map([f]));
def unique_by(f): _unique_by(map([f]));

def paths: path(..) | select(. != []);
def paths(f): path(.. | select(f)) | select(. != []);
def del(f): delpaths([path(f)]);
def pick(f): . as $whole | reduce path(f) as $path (null; setpath($path; $whole | getpath($path)));
def tostream:
  path(def inner: (.[]? | inner), .; inner) as $path
  | getpath($path)
  | reduce path(.[]?) as $key ([$path, .]; [$path + $key]);
def fromstream(f):
  foreach f as $event (
    null;
    (if .done then null else . end)
    | $event as [$path, $leaf]
    | if ($event | length) == 2
      then setpath(["value"] + $path; $leaf) | setpath(["done"]; ($path | length) == 0)
      else setpath(["done"]; ($path | length) == 1)
      end;
    if .done then .value else empty end
  );
def truncate_stream(f): . as $depth | null | f | if (.[0] | length) > $depth then .[0] |= .[$depth:] else empty end;

def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%S%z") | mktime;
def todate: todateiso8601;
def fromdate: fromdateiso8601;

def match($pattern; $flags): _match($pattern; $flags; false)[];
def match($pattern): match($pattern; null);
def test($pattern; $flags): _match($pattern; $flags; true);
def test($pattern): test($pattern; null);
def capture($pattern; $flags): match($pattern; $flags) | .captures | _captures;
def capture($pattern): capture($pattern; null);
def scan($pattern; $flags):
  match($pattern; $flags + "g") | if .captures == [] then .string else [.captures[].string] end;
def scan($pattern): scan($pattern; null);
def splits($pattern; $flags):
  .[foreach (match($pattern; $flags + "g"), null) as {$offset, $length}
      (null; {start: .rest, end: $offset, rest: ($offset + $length)})];
def splits($pattern): splits($pattern; null);
def split($pattern; $flags): [splits($pattern; $flags)];
def sub($pattern; replacement; $flags):
  reduce match($pattern; $flags) as {$offset, $length, $captures} (
    {text: ., results: []};
    reduce ($captures | _captures | replacement) as $new (
      .at = 0;
      .results[.at] += .text[.rest:$offset] + $new | .at += 1
    )
    | .rest = $offset + $length
  )
  | .results[] + .text[.rest:] // .text;
def sub($pattern; replacement): sub($pattern; replacement; null);
def gsub($pattern; replacement; $flags): sub($pattern; replacement; $flags + "g");
def gsub($pattern; replacement): sub($pattern; replacement; "g");

def INDEX(rows; key): reduce rows as $row ({}; .[$row | key | tostring] = $row);
def INDEX(key): INDEX(.[]; key);
def JOIN($index; key): [.[] | [., $index[key]]];
def JOIN($index; rows; key): rows | [., $index[key]];
def JOIN($index; rows; key; join): rows | [., $index[key]] | join;
def IN(source): any(source == .; .);
def IN(left; right): any(left == right; .);
def inputs: try repeat(input) catch if . == "break" then empty else error end;
.`

let definitions: ReadonlyMap<string, Definition> | undefined

/** By name and number of parameters, such as `map/1`. */
export function preludeDefinition(key: string): Definition | undefined {
  return allDefinitions().get(key)
}

export function preludeNames(): string[] {
  return [...allDefinitions().keys()]
}

function allDefinitions(): ReadonlyMap<string, Definition> {
  if (definitions !== undefined) return definitions
  const found = new Map<string, Definition>()
  let query = parse(source).query
  while (query.kind === 'define') {
    found.set(`${query.definition.name}/${query.definition.params.length}`, query.definition)
    query = query.body
  }
  definitions = found
  return found
}
