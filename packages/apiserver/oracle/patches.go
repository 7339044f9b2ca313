package main

import (
	"encoding/json"
	"fmt"
	"log"
	"reflect"
	"sort"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

type patchCase struct {
	Type   string `json:"type,omitempty"`
	Object any    `json:"object"`
	Patch  any    `json:"patch"`
	Result any    `json:"result,omitempty"`
	Error  string `json:"error,omitempty"`
}

type kind struct {
	name  string
	empty any
}

var patchKinds = []kind{
	{"io.k8s.api.apps.v1.Deployment", appsv1.Deployment{}},
	{"io.k8s.api.core.v1.Pod", corev1.Pod{}},
	{"io.k8s.api.core.v1.Service", corev1.Service{}},
	{"io.k8s.api.core.v1.ConfigMap", corev1.ConfigMap{}},
	{"io.k8s.api.core.v1.Node", corev1.Node{}},
	{"io.k8s.api.core.v1.ServiceAccount", corev1.ServiceAccount{}},
	{"io.k8s.api.core.v1.PersistentVolume", corev1.PersistentVolume{}},
	{"io.k8s.api.batch.v1.Job", batchv1.Job{}},
	{"io.k8s.api.networking.v1.Ingress", networkingv1.Ingress{}},
	{"io.k8s.api.apps.v1.StatefulSet", appsv1.StatefulSet{}},
}

func strategicCases(count int) []any {
	var cases []any
	failures := map[string]int{}
	for seed := 0; len(cases) < count; seed++ {
		k := patchKinds[seed%len(patchKinds)]
		g := newGenerator(seed)
		t := reflect.TypeOf(k.empty)
		document := g.structValue(t, 5).(object)
		g.patch = true
		patch := g.structValue(t, 5).(object)
		answer, ok := strategicAnswer(document, patch, k)
		if !ok {
			continue
		}
		if answer.Error != "" {
			words := strings.Join(strings.Fields(answer.Error)[:min(3, len(strings.Fields(answer.Error)))], " ")
			if failures[words]++; failures[words] > 12 {
				continue
			}
		}
		if len(compact(answer)) < 2000 {
			cases = append(cases, answer)
		}
	}
	return cases
}

// strategicAnswer leaves out cases whose answer depends on the order in which Go iterates over maps.
func strategicAnswer(document, patch object, k kind) (answer patchCase, ok bool) {
	for attempt := range 40 {
		next := patchCase{Type: k.name, Object: document, Patch: patch}
		result, err := patchOnce(clone(document), clone(patch), k.empty)
		if err != nil {
			next.Error = err.Error()
		} else {
			next.Result = object(result)
		}
		if attempt > 0 && compact(next) != compact(answer) {
			return answer, false
		}
		answer = next
	}
	return answer, !strings.HasPrefix(answer.Error, "panic")
}

func patchOnce(document, patch object, empty any) (result strategicpatch.JSONMap, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return strategicpatch.StrategicMergeMapPatch(document, patch, empty)
}

func clone(o object) object { return cloneValue(o).(object) }

func cloneValue(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for key, value := range v {
			out[key] = cloneValue(value)
		}
		return out
	case list:
		out := make(list, len(v))
		for i, value := range v {
			out[i] = cloneValue(value)
		}
		return out
	}
	return v
}

func compact(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		log.Fatal(err)
	}
	return string(out)
}

func sortedKeys(o object) []string {
	keys := make([]string, 0, len(o))
	for key := range o {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// plain makes a JSON value without a type.
func (g *generator) plain(depth int) any {
	if depth > 0 && g.chance(45) {
		o := object{}
		for range g.Intn(4) {
			o[g.pick("a", "b", "c", "x/y", "m~n", "__proto__", "constructor", "0", "")] = g.plain(depth - 1)
		}
		return o
	}
	if depth > 0 && g.chance(40) {
		l := list{}
		for range g.Intn(4) {
			l = append(l, g.plain(depth-1))
		}
		return l
	}
	return []any{"a", "b", "", int64(1), int64(-7), 1.5, true, false, int64(9007199254740993)}[g.Intn(9)]
}

func mergePatchCases(count int) []any {
	var cases []any
	for seed := 0; len(cases) < count; seed++ {
		g := newGenerator(90000 + seed)
		document, isObject := g.plain(4).(object)
		if !isObject || len(document) == 0 {
			continue
		}
		patch := g.withNulls(g.plain(4))
		if _, ok := patch.(object); !ok {
			continue
		}
		c := patchCase{Object: document, Patch: patch}
		out, err := jsonpatch.MergePatch([]byte(compact(document)), []byte(compact(patch)))
		if err != nil {
			c.Error = err.Error()
		} else {
			c.Result = json.RawMessage(out)
		}
		cases = append(cases, c)
	}
	return cases
}

func (g *generator) withNulls(v any) any {
	switch v := v.(type) {
	case object:
		for _, key := range sortedKeys(v) {
			v[key] = g.withNulls(v[key])
			if g.chance(20) {
				v[key] = nil
			}
		}
	case list:
		for i := range v {
			v[i] = g.withNulls(v[i])
		}
	}
	return v
}

func jsonPatchCases(count int) []any {
	var cases []any
	for seed := 0; len(cases) < count; seed++ {
		g := newGenerator(50000 + seed)
		document, isObject := g.plain(4).(object)
		if !isObject || len(document) < 2 {
			continue
		}
		operations := list{}
		for range 1 + g.Intn(3) {
			operations = append(operations, g.operation(document))
		}
		c := patchCase{Object: document, Patch: operations}
		patch, err := jsonpatch.DecodePatch([]byte(compact(operations)))
		if err != nil {
			log.Fatal(err)
		}
		out, err := applyJSONPatch(patch, []byte(compact(document)))
		if err != nil {
			if strings.HasPrefix(err.Error(), "panic") {
				continue
			}
			c.Error = err.Error()
			if g.chance(40) {
				continue
			}
		} else {
			c.Result = json.RawMessage(out)
		}
		cases = append(cases, c)
	}
	return cases
}

func applyJSONPatch(patch jsonpatch.Patch, document []byte) (out []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return patch.Apply(document)
}

func (g *generator) operation(document object) object {
	op := object{"op": g.pick("add", "add", "remove", "replace", "move", "copy", "test", "test"), "path": g.pointer(document)}
	switch op["op"] {
	case "move", "copy":
		op["from"] = g.pointer(document)
	case "test":
		if value, ok := lookup(document, op["path"].(string)); ok && g.chance(70) {
			op["value"] = value
		} else {
			op["value"] = g.plain(1)
		}
	case "add", "replace":
		op["value"] = g.plain(2)
		if g.chance(10) {
			op["value"] = nil
		}
	}
	if g.chance(3) {
		delete(op, g.pick("op", "path", "from"))
	}
	return op
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer makes a path into the document: mostly one that exists, or one step beside it.
func (g *generator) pointer(document object) string {
	path := ""
	var at any = document
	for {
		switch v := at.(type) {
		case object:
			keys := sortedKeys(v)
			if len(keys) == 0 || g.chance(12) {
				return path + "/" + g.pick("a", "new", "__proto__", "0", "-")
			}
			key := keys[g.Intn(len(keys))]
			path += "/" + escape.Replace(key)
			at = v[key]
		case list:
			if len(v) == 0 || g.chance(30) {
				return path + "/" + g.pick("-", "0", "-1", "-9", "1", "01", "+1", "7", "x", "", "99999999999999999999")
			}
			i := g.Intn(len(v))
			path += fmt.Sprintf("/%d", i)
			at = v[i]
		default:
			if g.chance(5) {
				return path + "/deeper"
			}
			if g.chance(2) {
				return g.pick("", "a", "a/b")
			}
			return path
		}
		if g.chance(25) {
			return path
		}
	}
}

func lookup(document any, path string) (any, bool) {
	at := document
	for _, part := range strings.Split(path, "/")[min(1, strings.Count(path, "/")):] {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch v := at.(type) {
		case object:
			next, ok := v[part]
			if !ok {
				return nil, false
			}
			at = next
		case list:
			var i int
			if _, err := fmt.Sscanf(part, "%d", &i); err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			at = v[i]
		default:
			return nil, false
		}
	}
	return at, true
}
