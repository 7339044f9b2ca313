// Writes two tables: discovery.json, what a server serves by default, and types.json, for every built-in Go type its JSON
// fields, how they are written, their protobuf numbers, and the merge rules that OpenAPI knows. Facts only, no prose.
//
// The OpenAPI document is the one that a real server answers at /openapi/v2: only there are the values of enumerations.
//
// Only its v3 documents have the defaults that the types declare.
//
//	go run . ../data <OpenAPI v2 document> <directory of discovery documents> <OpenAPI v3 document>...
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Types whose JSON form is not their Go fields.
var scalars = map[reflect.Type]string{
	reflect.TypeOf(metav1.Time{}):                                  "Time",
	reflect.TypeOf(metav1.MicroTime{}):                             "MicroTime",
	reflect.TypeOf(metav1.Duration{}):                              "Duration",
	reflect.TypeOf(resource.Quantity{}):                            "Quantity",
	reflect.TypeOf(intstr.IntOrString{}):                           "IntOrString",
	reflect.TypeOf(runtime.RawExtension{}):                         "RawExtension",
	reflect.TypeOf(metav1.FieldsV1{}):                              "FieldsV1",
	reflect.TypeOf(apiextensionsv1.JSON{}):                         "JSON",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrBool{}):        "JSON",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrArray{}):       "JSON",
	reflect.TypeOf(apiextensionsv1.JSONSchemaPropsOrStringArray{}): "JSON",
}

type merge struct {
	ListType string          `json:"x-kubernetes-list-type"`
	Keys     []string        `json:"x-kubernetes-list-map-keys"`
	MapType  string          `json:"x-kubernetes-map-type"`
	Strategy string          `json:"x-kubernetes-patch-strategy"`
	MergeKey string          `json:"x-kubernetes-patch-merge-key"`
	Default  json.RawMessage `json:"default"`
	Format   string          `json:"format"`
	Enum     []string        `json:"enum"`
	Items    *merge          `json:"items"`
	Values   *merge          `json:"additionalProperties"`
}

// The values that a string, or the strings in a list or map, may have.
func (m merge) enum() []string {
	switch {
	case m.Items != nil:
		return m.Items.enum()
	case m.Values != nil:
		return m.Values.enum()
	default:
		return m.Enum
	}
}

type definition struct {
	merge
	Properties map[string]merge `json:"properties"`
	Required   []string         `json:"required"`
}

type field struct {
	Name     string   `json:"n"`
	Type     string   `json:"t"`
	Omit     int      `json:"o,omitempty"`
	Pointer  int      `json:"p,omitempty"`
	Inline   int      `json:"i,omitempty"`
	Number   int      `json:"#,omitempty"`
	Required int      `json:"r,omitempty"`
	List     string   `json:"l,omitempty"`
	Keys     []string `json:"k,omitempty"`
	Map      string   `json:"m,omitempty"`
	Strategy string   `json:"s,omitempty"`
	MergeKey string   `json:"mk,omitempty"`
	Default  any      `json:"d,omitempty"`
	Enum     []string `json:"e,omitempty"`
}

type entry struct {
	Fields []field `json:"f,omitempty"`
	Scalar string  `json:"s,omitempty"`
	Map    string  `json:"m,omitempty"`
	// A type that JSON and Go know as a list or map under a name of its own (ExtraValue, Verbs).
	Alias string `json:"a,omitempty"`
}

var swagger struct {
	Definitions map[string]definition `json:"definitions"`
}

// The same definitions as the v3 documents have them.
var declared = map[string]definition{}
var types = map[string]*entry{}

func name(t reflect.Type) string {
	parts := strings.SplitN(t.PkgPath(), "/", 2)
	host := strings.Split(parts[0], ".")
	for i, j := 0, len(host)-1; i < j; i, j = i+1, j-1 {
		host[i], host[j] = host[j], host[i]
	}
	return strings.Join(host, ".") + "." + strings.ReplaceAll(parts[1], "/", ".") + "." + t.Name()
}

func ref(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return ref(t.Elem())
	}
	if _, ok := scalars[t]; ok {
		return visit(t)
	}
	named := ""
	if t.PkgPath() != "" {
		named = "=" + t.String()
	}
	switch t.Kind() {
	case reflect.Struct:
		return visit(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		if named != "" {
			return visit(t)
		}
		return "[]" + ref(t.Elem())
	case reflect.Map:
		return "{}" + ref(t.Elem()) + named
	default:
		return t.Kind().String() + named
	}
}

func visit(t reflect.Type) string {
	id := name(t)
	if types[id] != nil {
		return id
	}
	e := &entry{}
	types[id] = e
	def := swagger.Definitions[id]
	// A struct that is only ever embedded has no definition of its own: its fields are defined where it is embedded.
	if len(def.Properties) == 0 {
		switch {
		case strings.HasSuffix(id, "Common"):
			def = swagger.Definitions[strings.TrimSuffix(id, "Common")]
		case strings.HasSuffix(id, ".Rule"):
			def = swagger.Definitions[id+"WithOperations"]
		}
	}
	e.Map = def.MapType
	if s, ok := scalars[t]; ok {
		e.Scalar = s
		return id
	}
	if t.Kind() == reflect.Slice {
		e.Alias = "[]" + ref(t.Elem())
		return id
	}
	required := map[string]bool{}
	for _, r := range def.Required {
		required[r] = true
	}
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("json"), ",")
		if tag[0] == "-" || (!f.IsExported() && !f.Anonymous) {
			continue
		}
		out := field{Name: tag[0]}
		for _, option := range tag[1:] {
			switch option {
			case "omitempty":
				out.Omit = 1
			case "omitzero":
				out.Omit = 2
			case "inline":
				out.Inline = 1
			}
		}
		if f.Anonymous && out.Name == "" {
			out.Inline = 1
		}
		if out.Name == "" && out.Inline == 0 {
			out.Name = f.Name
		}
		if f.Type.Kind() == reflect.Pointer {
			out.Pointer = 1
		}
		if p := strings.Split(f.Tag.Get("protobuf"), ","); len(p) > 1 {
			out.Number, _ = strconv.Atoi(p[1])
		}
		out.Type = ref(f.Type)
		out.Strategy, out.MergeKey = f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey")
		if p, ok := def.Properties[out.Name]; ok {
			out.List, out.Keys, out.Map, out.Enum = p.ListType, p.Keys, p.MapType, p.enum()
			if required[out.Name] {
				out.Required = 1
			}
		}
		// The default of a field that is always written is its zero value, which needs no entry.
		if p := declared[id].Properties[out.Name]; len(p.Default) > 0 && (out.Omit != 0 || out.Pointer != 0) {
			var value any
			_ = json.Unmarshal(p.Default, &value)
			if _, isStruct := value.(map[string]any); !isStruct {
				out.Default = value
			}
		}
		e.Fields = append(e.Fields, out)
	}
	return id
}

func main() {
	read := func(path string, into any) {
		raw, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	read(os.Args[2], &swagger)
	for _, path := range os.Args[4:] {
		var document struct {
			Components struct{ Schemas map[string]definition }
		}
		read(path, &document)
		for name, schema := range document.Components.Schemas {
			declared[name] = schema
		}
	}
	var groups struct{ Groups []metav1.APIGroup }
	read(os.Args[3]+"/apis.json", &groups)
	discovery := []metav1.APIResourceList{}
	served := func(file string) {
		var list metav1.APIResourceList
		read(os.Args[3]+"/"+file, &list)
		list.TypeMeta = metav1.TypeMeta{}
		discovery = append(discovery, list)
	}
	served("api__v1.json")
	for _, group := range groups.Groups {
		for _, version := range group.Versions {
			if !strings.Contains(version.Version, "alpha") && !strings.Contains(version.Version, "beta") {
				served("apis__" + group.Name + "__" + version.Version + ".json")
			}
		}
	}

	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	kinds := map[string]string{}
	for gvk, t := range s.AllKnownTypes() {
		if gvk.Version == "__internal" || strings.Contains(gvk.Version, "alpha") || strings.Contains(gvk.Version, "beta") {
			continue
		}
		if t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" && gvk.GroupVersion() != (schema.GroupVersion{Version: "v1"}) {
			continue
		}
		kinds[gvk.Group+"/"+gvk.Version+"/"+gvk.Kind] = visit(t)
	}
	for _, t := range []any{metav1.Status{}, metav1.DeleteOptions{}, metav1.APIGroup{}, metav1.APIGroupList{}, metav1.APIResourceList{}, metav1.APIVersions{}, metav1.PartialObjectMetadata{}, authenticationv1.TokenRequest{}} {
		visit(reflect.TypeOf(t))
	}
	write("discovery.json", discovery)
	write("types.json", map[string]any{"kinds": kinds, "types": types})
}

// The two are read at different times: what is served at every start, the types when the first object is read.
func write(name string, value any) {
	file, err := os.Create(os.Args[1] + "/" + name)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	out := json.NewEncoder(file)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); err != nil {
		panic(err)
	}
}
