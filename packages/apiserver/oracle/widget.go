package main

import (
	"encoding/json"
	"log"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

var widgetKind = schema.GroupVersionKind{Group: "example.dev", Version: "v1", Kind: "Widget"}

// widgetSchema is a custom resource with every kind of list and map. The tests read it from testdata/widget.json.
const widgetSchema = `{
  "type": "object",
  "properties": {
    "spec": {"type": "object", "properties": {
      "size": {"type": "integer"},
      "mode": {"type": "string"},
      "on": {"type": "boolean"},
      "amount": {"x-kubernetes-int-or-string": true},
      "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
      "numbers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}},
      "words": {"type": "array", "items": {"type": "string"}},
      "parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
        "type": "object", "properties": {"name": {"type": "string"}, "weight": {"type": "integer"}, "labels": {"type": "object", "additionalProperties": {"type": "string"}}}}},
      "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"], "items": {
        "type": "object", "properties": {"port": {"type": "integer"}, "protocol": {"type": "string", "default": "TCP"}, "note": {"type": "string"}}}},
      "settings": {"type": "object", "additionalProperties": {"type": "string"}},
      "groups": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}},
      "selector": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
      "inner": {"type": "object", "properties": {"x": {"type": "object", "properties": {"y": {"type": "string"}, "z": {"type": "string", "nullable": true}}}, "list": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
      "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
      "half": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"known": {"type": "object", "properties": {"a": {"type": "string"}}}}}
    }},
    "status": {"type": "object", "properties": {"phase": {"type": "string"}, "count": {"type": "integer"}}}
  }
}`

const objectMeta = `{
  "type": "object",
  "properties": {
    "name": {"type": "string"}, "namespace": {"type": "string"}, "uid": {"type": "string"}, "resourceVersion": {"type": "string"},
    "generation": {"type": "integer"}, "creationTimestamp": {"type": "string", "format": "date-time"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
    "finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "ownerReferences": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"], "items": {
      "type": "object", "x-kubernetes-map-type": "atomic", "properties": {"uid": {"type": "string"}, "name": {"type": "string"}, "kind": {"type": "string"}, "apiVersion": {"type": "string"}}}},
    "managedFields": {"type": "array", "x-kubernetes-list-type": "atomic", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
  }
}`

func parseSchema(text string) *spec.Schema {
	var s spec.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		log.Fatal(err)
	}
	return &s
}

func widgetConverter() managedfields.TypeConverter {
	root := parseSchema(widgetSchema)
	root.Properties["apiVersion"] = *spec.StringProperty()
	root.Properties["kind"] = *spec.StringProperty()
	root.Properties["metadata"] = *spec.RefSchema("#/definitions/ObjectMeta")
	root.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
		"group": widgetKind.Group, "version": widgetKind.Version, "kind": widgetKind.Kind,
	}})
	converter, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"Widget": root, "ObjectMeta": parseSchema(objectMeta)}, false)
	if err != nil {
		log.Fatal(err)
	}
	return converter
}

func widget(g *generator) object {
	spec := object{}
	add := func(percent int, key string, make func() any) {
		if g.chance(percent) {
			spec[key] = make()
		}
	}
	word := func() any { return g.pick("a", "b", "c") }
	words := func() any { return g.scalarSet() }
	small := func() any {
		o := object{}
		for range g.Intn(3) {
			o[g.pick("a", "b")] = word()
		}
		return o
	}
	add(40, "size", func() any { return int64(g.Intn(3)) })
	add(40, "mode", word)
	add(20, "on", func() any { return g.chance(50) })
	add(20, "amount", func() any { return []any{int64(5), "50%"}[g.Intn(2)] })
	add(40, "tags", words)
	add(20, "numbers", func() any {
		l := list{}
		for _, n := range []int64{80, 443, 8080} {
			if g.chance(50) {
				l = append(l, n)
			}
		}
		return l
	})
	add(30, "words", words)
	add(40, "parts", func() any {
		l := list{}
		for _, name := range g.scalarSet() {
			part := object{"name": name}
			if g.chance(50) {
				part["weight"] = int64(g.Intn(3))
			}
			if g.chance(40) {
				part["labels"] = small()
			}
			l = append(l, part)
		}
		return l
	})
	add(40, "ports", func() any {
		l := list{}
		for _, n := range []int64{443, 80} {
			for _, protocol := range []string{"", "UDP"} {
				if g.chance(40) {
					port := object{"port": n}
					if protocol != "" {
						port["protocol"] = protocol
					} else if g.chance(30) {
						port["protocol"] = "TCP"
					}
					if g.chance(40) {
						port["note"] = word()
					}
					l = append(l, port)
				}
			}
		}
		return l
	})
	add(30, "settings", small)
	add(30, "groups", func() any {
		o := object{}
		for range g.Intn(3) {
			o[g.pick("g", "h")] = small()
		}
		return o
	})
	add(30, "selector", small)
	add(40, "inner", func() any {
		o := object{}
		if g.chance(60) {
			o["x"] = object{"y": word()}
			if g.chance(40) {
				o["x"].(object)["z"] = nil
			}
		}
		if g.chance(40) {
			o["list"] = list{g.free(1)}
		}
		return o
	})
	add(30, "free", func() any { return g.free(2) })
	add(25, "half", func() any {
		o := g.free(2).(object)
		if g.chance(50) {
			o["known"] = object{"a": word()}
		}
		return o
	})
	out := object{"metadata": object{}}
	if g.chance(90) {
		out["spec"] = spec
	}
	if g.chance(30) {
		out["status"] = object{"phase": word(), "count": int64(g.Intn(2))}
	}
	if g.chance(40) {
		setField(out, small(), "metadata", "labels")
	}
	if g.chance(25) {
		setField(out, g.scalarSet(), "metadata", "finalizers")
	}
	return out
}

// free makes an object that no schema describes.
func (g *generator) free(depth int) any {
	o := object{}
	for range g.Intn(4) {
		key := g.pick("a", "b", "é", "z")
		switch {
		case depth > 0 && g.chance(40):
			o[key] = g.free(depth - 1)
		case g.chance(30):
			o[key] = list{g.pick("p", "q"), int64(g.Intn(2))}
		case g.chance(8):
			o[key] = nil
		default:
			o[key] = []any{"s", int64(1), true}[g.Intn(3)]
		}
	}
	return o
}
