package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"reflect"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

type applyCase struct {
	Kind  string `json:"kind"`
	Steps []step `json:"steps"`
}

// step is one write and what became of it. Live is left out where it equals the object of an update.
type step struct {
	Op            string               `json:"op"`
	Manager       string               `json:"manager"`
	Subresource   string               `json:"subresource,omitempty"`
	Force         bool                 `json:"force,omitempty"`
	Object        object               `json:"object"`
	Live          any                  `json:"live,omitempty"`
	ManagedFields json.RawMessage      `json:"managedFields,omitempty"`
	Error         string               `json:"error,omitempty"`
	Causes        []metav1.StatusCause `json:"causes,omitempty"`
}

type applyKind struct {
	gvk       schema.GroupVersionKind
	converter managedfields.TypeConverter
	typed     bool
	generate  func(*generator) object
}

func structGenerator(empty any) func(*generator) object {
	return func(g *generator) object { return g.structValue(reflect.TypeOf(empty), 6).(object) }
}

func applyKinds() []applyKind {
	builtin := applyconfigurations.NewTypeConverter(scheme.Scheme)
	return []applyKind{
		{corev1.SchemeGroupVersion.WithKind("ConfigMap"), builtin, true, structGenerator(corev1.ConfigMap{})},
		{appsv1.SchemeGroupVersion.WithKind("Deployment"), builtin, true, structGenerator(appsv1.Deployment{})},
		{widgetKind, widgetConverter(), false, widget},
		{corev1.SchemeGroupVersion.WithKind("Service"), builtin, true, structGenerator(corev1.Service{})},
		{corev1.SchemeGroupVersion.WithKind("Pod"), builtin, true, structGenerator(corev1.Pod{})},
		{widgetKind.GroupVersion().WithKind("Loose"), managedfields.NewDeducedTypeConverter(), false, widget},
	}
}

// world stands in for the parts of the API server around the field manager: one version, no defaults.
type world struct{ kind applyKind }

func (w world) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	if w.kind.typed {
		return scheme.Scheme.New(gvk)
	}
	return &unstructured.Unstructured{Object: object{}}, nil
}

func (w world) Default(runtime.Object) {}

func (w world) Convert(in, out, context any) error { return errors.New("not used") }

func (w world) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not used")
}

func (w world) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	out := in.DeepCopyObject()
	if u, ok := in.(*unstructured.Unstructured); ok && w.kind.typed {
		typed, err := scheme.Scheme.New(w.kind.gvk)
		if err != nil {
			return nil, err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
			return nil, err
		}
		out = typed
	}
	out.GetObjectKind().SetGroupVersionKind(w.kind.gvk)
	return out, nil
}

func (w world) manager(subresource, reset string) *managedfields.FieldManager {
	paths := []fieldpath.Path{fieldpath.MakePathOrDie(reset)}
	filter := map[fieldpath.APIVersion]fieldpath.Filter{
		fieldpath.APIVersion(w.kind.gvk.GroupVersion().String()): fieldpath.NewExcludeSetFilter(fieldpath.NewSet(paths...)),
	}
	make := managedfields.NewDefaultFieldManager
	if !w.kind.typed {
		make = managedfields.NewDefaultCRDFieldManager
	}
	m, err := make(w.kind.converter, w, w, w, w.kind.gvk, w.kind.gvk.GroupVersion(), subresource, filter)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

func (w world) fromJSON(o object) runtime.Object {
	u := &unstructured.Unstructured{Object: clone(o)}
	out, err := w.ConvertToVersion(u, nil)
	if err != nil {
		log.Fatal(err, compact(o))
	}
	return out
}

// stored is the object as it comes back from the store: a typed one knows no difference between empty and absent.
func (w world) stored(o runtime.Object) runtime.Object {
	if !w.kind.typed {
		return o
	}
	encoded, err := o.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		log.Fatal(err)
	}
	out, _ := scheme.Scheme.New(w.kind.gvk)
	if err := out.(interface{ Unmarshal([]byte) error }).Unmarshal(encoded); err != nil {
		log.Fatal(err)
	}
	out.GetObjectKind().SetGroupVersionKind(w.kind.gvk)
	return out
}

func toJSON(o runtime.Object) object {
	decoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		log.Fatal(err)
	}
	return clone(decoded)
}

func applyCases(count int) []any {
	var cases []any
	kinds := applyKinds()
	for number, kind := range kinds {
		for seed := number * 1000000; len(cases) < count*(number+1)/len(kinds); seed++ {
			c := runSequence(newGenerator(seed), kind, seed)
			if len(c.Steps) > 1 && len(compact(c)) < 4500 {
				cases = append(cases, c)
			}
		}
	}
	return cases
}

func runSequence(g *generator, kind applyKind, seed int) applyCase {
	w := world{kind}
	main, status := w.manager("", "status"), w.manager("status", "spec")
	live, _ := w.New(kind.gvk)
	live.GetObjectKind().SetGroupVersionKind(kind.gvk)
	configs := map[string]object{}
	c := applyCase{Kind: kind.gvk.Kind}
	steps := 3 + g.Intn(4)
	crowd := seed%25 == 7 // a sequence with more updaters than are kept apart
	if crowd {
		steps = 14
	}
	created := false
	for number := range steps {
		s := step{Op: "update", Manager: g.pick("m1", "m2", "m3", "kubectl")}
		if !crowd && g.chance(55) {
			s.Op = "apply"
		}
		if crowd {
			s.Manager = fmt.Sprintf("crowd-%02d", number)
		}
		manager := main
		if created && g.chance(15) {
			s.Subresource, manager = "status", status
		}
		var result runtime.Object
		var err error
		current := toJSON(live)
		dropManagedFields(current)
		if s.Op == "update" {
			s.Object = g.nextObject(w, current, created)
			if crowd && created {
				s.Object = clone(current)
				setField(s.Object, fmt.Sprintf("c%d", number), "metadata", "labels", fmt.Sprintf("l%02d", number))
			}
			next := w.stored(w.fromJSON(s.Object))
			s.Object = toJSON(next)
			if s.Subresource == "" && created && g.chance(4) {
				accessor, _ := meta.Accessor(next)
				entries := [][]metav1.ManagedFieldsEntry{{}, {{}}, {{Manager: "forged", Operation: "Apply", APIVersion: kind.gvk.GroupVersion().String(), FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:labels":{"f:b":{},"f:a":{}}}}`)}}}, {{Manager: "broken", Operation: "Nothing"}}}
				accessor.SetManagedFields(entries[g.Intn(len(entries))])
				encoded := []any{}
				if err := json.Unmarshal([]byte(compact(accessor.GetManagedFields())), &encoded); err != nil {
					log.Fatal(err)
				}
				s.Object["metadata"].(object)["managedFields"] = encoded
			}
			result = manager.UpdateNoErrors(live, next, s.Manager)
		} else {
			s.Force = g.chance(35)
			s.Object = g.nextConfig(w, current, configs[s.Manager+s.Subresource])
			config := &unstructured.Unstructured{Object: floats(clone(s.Object)).(object)}
			result, err = manager.Apply(live, config, s.Manager, s.Force)
		}
		if err != nil {
			s.Error = err.Error()
			if status := (apierrors.APIStatus)(nil); errors.As(err, &status) && status.Status().Details != nil {
				s.Causes = status.Status().Details.Causes
			}
			c.Steps = append(c.Steps, s)
			continue
		}
		if s.Op == "apply" {
			configs[s.Manager+s.Subresource] = s.Object
		}
		result = w.stored(result)
		settleTimes(result, number)
		accessor, _ := meta.Accessor(result)
		if entries := accessor.GetManagedFields(); entries != nil {
			s.ManagedFields = json.RawMessage(compact(entries))
		}
		after := toJSON(result)
		dropManagedFields(after)
		if s.Op == "apply" {
			s.Live = after
		}
		if !created {
			accessor.SetUID("u")
			created = true
		}
		live = result
		c.Steps = append(c.Steps, s)
	}
	return c
}

// settleTimes replaces the time of entries that were just written by one that depends on nothing.
func settleTimes(o runtime.Object, number int) {
	accessor, _ := meta.Accessor(o)
	entries := accessor.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.After(time.Now().Add(-time.Hour)) {
			entries[i].Time = &metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, number, 0, time.UTC)}
		}
	}
	if entries != nil {
		accessor.SetManagedFields(entries)
	}
}

func dropManagedFields(o object) {
	if m, ok := o["metadata"].(object); ok {
		delete(m, "managedFields")
	}
}

func setField(o object, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, ok := o[key].(object)
		if !ok {
			next = object{}
			o[key] = next
		}
		o = next
	}
	o[path[len(path)-1]] = value
}

// nextObject is what an update sends: the live object with some parts taken from another one.
func (g *generator) nextObject(w world, current object, created bool) object {
	other := w.kind.generate(g)
	next := other
	if created {
		next = g.blend(current, other).(object)
	}
	g.identify(next, w)
	if created {
		setField(next, "u", "metadata", "uid")
	}
	if g.chance(10) {
		g.annotate(next, w)
	}
	return next
}

func (g *generator) identify(o object, w world) {
	o["apiVersion"], o["kind"] = w.kind.gvk.GroupVersion().String(), w.kind.gvk.Kind
	setField(o, "x", "metadata", "name")
	if m := o["metadata"].(object); m != nil {
		for _, key := range []string{"uid", "resourceVersion", "generation", "selfLink", "namespace", "generateName", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields"} {
			delete(m, key)
		}
	}
}

// annotate pretends that kubectl applied the object on its side.
func (g *generator) annotate(o object, w world) {
	applied := clone(o)
	delete(applied, "status")
	dropManagedFields(applied)
	delete(applied["metadata"].(object), "uid")
	setField(o, compact(applied), "metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration")
}

// nextConfig is what an apply sends: something new, or the last configuration with changes.
func (g *generator) nextConfig(w world, current, last object) object {
	var config object
	switch {
	case last != nil && g.chance(60):
		config = g.thin(last, 15).(object)
		if g.chance(40) {
			config = g.blend(config, w.kind.generate(g)).(object)
		}
	case g.chance(40):
		config = g.thin(current, 30).(object)
	default:
		config = w.kind.generate(g)
	}
	g.identify(config, w)
	if annotations, ok := config["metadata"].(object)["annotations"].(object); ok {
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	}
	if g.chance(4) {
		setField(config, []any{"text", int64(7), true, list{"a"}, object{"a": "b"}}[g.Intn(5)], g.pick("metadata", "spec"), g.pick("labels", "nonsense", "replicas", "type"))
	}
	return config
}

// blend takes parts of one value and parts of another.
func (g *generator) blend(a, b any) any {
	left, isObject := a.(object)
	right, bothObjects := b.(object)
	if !isObject || !bothObjects {
		leftList, isList := a.(list)
		rightList, bothLists := b.(list)
		if isList && bothLists && g.chance(50) {
			return g.blendLists(leftList, rightList)
		}
		if g.chance(70) {
			return cloneValue(a)
		}
		return cloneValue(b)
	}
	out := object{}
	for _, key := range sortedKeys(left) {
		if other, ok := right[key]; ok && g.chance(60) {
			out[key] = g.blend(left[key], other)
		} else if !g.chance(12) || key == "metadata" {
			out[key] = cloneValue(left[key])
		}
	}
	for _, key := range sortedKeys(right) {
		if _, ok := left[key]; !ok && g.chance(35) {
			out[key] = cloneValue(right[key])
		}
	}
	return out
}

func (g *generator) blendLists(a, b list) list {
	out := list{}
	seen := map[string]bool{}
	for _, item := range append(append(list{}, a...), b...) {
		identity := compact(item)
		if o, ok := item.(object); ok {
			identity = fmt.Sprint(o["name"], o["uid"], o["type"], o["port"], o["protocol"], o["containerPort"], o["mountPath"], o["devicePath"], o["ip"], o["topologyKey"], o["key"])
		}
		if !seen[identity] && g.chance(75) {
			seen[identity] = true
			out = append(out, cloneValue(item))
		}
	}
	if g.chance(25) {
		g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// thin leaves out some of the fields, but never what identifies the item of a list.
func (g *generator) thin(v any, percent int) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for _, key := range sortedKeys(v) {
			identifies := key == "name" || key == "uid" || key == "type" || key == "port" || key == "containerPort" || key == "mountPath" || key == "devicePath" || key == "ip" || key == "topologyKey" || key == "whenUnsatisfiable" || key == "key"
			if identifies || !g.chance(percent) {
				out[key] = g.thin(v[key], percent)
			}
		}
		return out
	case list:
		out := list{}
		for _, item := range v {
			if !g.chance(percent) {
				out = append(out, g.thin(item, percent))
			}
		}
		return out
	}
	return v
}

// floats makes numbers as YAML decoding does.
func floats(v any) any {
	switch v := v.(type) {
	case object:
		for key := range v {
			v[key] = floats(v[key])
		}
	case list:
		for i := range v {
			v[i] = floats(v[i])
		}
	case int64:
		return float64(v)
	}
	return v
}
