package main

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type object = map[string]any
type list = []any

// generator makes values of Go types from small pools, so that two values of one type often share keys and content.
type generator struct {
	*rand.Rand
	patch bool
}

func newGenerator(seed int) *generator {
	return &generator{Rand: rand.New(rand.NewSource(int64(seed)))}
}

func (g *generator) pick(from ...string) string { return from[g.Intn(len(from))] }
func (g *generator) chance(percent int) bool    { return g.Intn(100) < percent }

var opaque = map[reflect.Type]func(*generator) any{
	reflect.TypeOf(resource.Quantity{}):    func(g *generator) any { return g.pick("1", "100m", "2Gi") },
	reflect.TypeOf(intstr.IntOrString{}):   func(g *generator) any { return []any{int64(80), "http", "25%"}[g.Intn(3)] },
	reflect.TypeOf(metav1.Time{}):          func(g *generator) any { return g.pick("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z") },
	reflect.TypeOf(metav1.MicroTime{}):     func(g *generator) any { return "2026-01-01T00:00:00.000000Z" },
	reflect.TypeOf(runtime.RawExtension{}): func(g *generator) any { return object{"kind": "X", "a": g.pick("1", "2")} },
}

// value makes a value of the type; name steers strings.
func (g *generator) value(t reflect.Type, name string, depth int) any {
	if make, ok := opaque[t]; ok {
		return make(g)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.value(t.Elem(), name, depth)
	case reflect.Struct:
		return g.structValue(t, depth)
	case reflect.Map:
		m := object{}
		for range 1 + g.Intn(3) {
			key := g.pick("a", "b", "c", "app", "d.e/f")
			if g.patch && g.chance(25) {
				m[key] = nil
			} else {
				m[key] = g.value(t.Elem(), "value", depth-1)
			}
		}
		if g.patch && g.chance(6) {
			m["$patch"] = g.pick("replace", "delete", "merge")
		}
		return m
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return g.pick("YQ==", "Yg==")
		}
		l := list{}
		for range g.Intn(4) {
			l = append(l, g.value(t.Elem(), name, depth-1))
		}
		return l
	case reflect.String:
		return g.text(name)
	case reflect.Bool:
		return g.chance(50)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return int64([]int{0, 1, 80, 443, 8080}[g.Intn(5)])
	case reflect.Float64:
		return 1.5
	}
	panic(fmt.Sprint("no values for ", t))
}

func (g *generator) text(name string) string {
	switch name {
	case "protocol":
		return g.pick("TCP", "UDP")
	case "type", "phase":
		return g.pick("X", "Y", "Z")
	default:
		return g.pick("a", "b", "c", "d")
	}
}

type field struct {
	name, strategy, mergeKey string
	required                 bool
	t                        reflect.Type
}

func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		if tag[0] == "-" {
			continue
		}
		if f.Anonymous && tag[0] == "" {
			fields = append(fields, fieldsOf(f.Type)...)
			continue
		}
		fields = append(fields, field{tag[0], f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey"), !strings.Contains(f.Tag.Get("json"), "omit"), f.Type})
	}
	return fields
}

func (g *generator) structValue(t reflect.Type, depth int) any {
	o := object{}
	if depth <= 0 {
		return o
	}
	fields := fieldsOf(t)
	wanted := 2 + g.Intn(4)
	for i, f := range fields {
		if f.name == "managedFields" || f.name == "kind" || f.name == "apiVersion" || f.name == "creationTimestamp" {
			continue
		}
		favourite := f.mergeKey != "" || f.strategy != "" || f.name == "spec" || f.name == "template" || f.name == "metadata" || f.name == "data"
		if !favourite && g.Intn(len(fields)) >= wanted || favourite && g.chance(35) {
			continue
		}
		_ = i
		if g.patch {
			g.patchField(o, f, depth-1)
		} else if f.mergeKey != "" {
			o[f.name] = g.keyedList(f, depth-1)
		} else if f.strategy == "merge" && f.t.Kind() == reflect.Slice {
			o[f.name] = g.scalarSet()
		} else {
			o[f.name] = g.value(f.t, f.name, depth-1)
		}
	}
	if g.patch && g.chance(3) {
		o["$patch"] = g.pick("replace", "delete", "merge", "nonsense")
	}
	return o
}

func (g *generator) scalarSet() list {
	l := list{}
	for _, s := range []string{"a", "b", "c", "d"} {
		if g.chance(50) {
			l = append(l, s)
		}
	}
	g.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	return l
}

// keyedList makes a list of objects with different merge keys.
func (g *generator) keyedList(f field, depth int) list {
	l := list{}
	elem := f.t.Elem()
	seen := map[any]bool{}
	for range g.Intn(4) {
		item, ok := g.value(elem, f.name, depth).(object)
		if !ok {
			continue
		}
		g.setKey(item, elem, f.mergeKey)
		if seen[item[f.mergeKey]] {
			continue
		}
		seen[item[f.mergeKey]] = true
		l = append(l, item)
	}
	return l
}

func (g *generator) setKey(item object, elem reflect.Type, key string) {
	for _, f := range fieldsOf(elem) {
		if f.name == key {
			item[key] = g.value(f.t, key, 1)
		}
	}
}

func (g *generator) patchField(o object, f field, depth int) {
	if g.chance(8) {
		o[f.name] = nil
		return
	}
	switch {
	case f.mergeKey != "" && f.t.Kind() == reflect.Slice:
		items := list{}
		keys := list{}
		for _, v := range g.keyedList(f, depth) {
			item := v.(object)
			switch {
			case g.chance(20):
				items = append(items, object{"$patch": "delete", f.mergeKey: item[f.mergeKey]})
				continue
			case g.chance(4):
				items = append(items, object{"$patch": g.pick("replace", "merge", "odd")})
				continue
			case g.chance(3):
				delete(item, f.mergeKey)
			}
			items = append(items, item)
			if key, ok := item[f.mergeKey]; ok {
				keys = append(keys, object{f.mergeKey: key})
			}
		}
		if g.chance(90) {
			o[f.name] = items
		}
		if g.chance(40) {
			o["$setElementOrder/"+f.name] = g.order(keys, func(key string) any { return object{f.mergeKey: key} })
		}
	case f.strategy == "merge" && f.t.Kind() == reflect.Slice:
		set := g.scalarSet()
		if g.chance(80) {
			o[f.name] = set
		}
		if g.chance(30) {
			o["$setElementOrder/"+f.name] = g.order(set, func(key string) any { return key })
		} else if g.chance(40) {
			o["$deleteFromPrimitiveList/"+f.name] = list{g.pick("a", "b", "c"), "d"}
		}
	default:
		o[f.name] = g.value(f.t, f.name, depth)
		if inner, ok := o[f.name].(object); ok && (strings.Contains(f.strategy, "retainKeys") || g.chance(3)) {
			keys := list{}
			for _, key := range sortedKeys(inner) {
				if g.chance(95) {
					keys = append(keys, key)
				}
			}
			inner["$retainKeys"] = keys
		}
	}
}

// order makes a $setElementOrder list from the keys of a patch: mostly right, sometimes shuffled or with more keys.
func (g *generator) order(keys list, make func(string) any) list {
	order := append(list{}, keys...)
	if g.chance(60) {
		extra := make(g.pick("a", "b", "c", "d"))
		known := false
		for _, k := range order {
			known = known || fmt.Sprint(k) == fmt.Sprint(extra)
		}
		if !known {
			at := g.Intn(len(order) + 1)
			order = append(order[:at], append(list{extra}, order[at:]...)...)
		}
	}
	if g.chance(10) {
		g.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}
