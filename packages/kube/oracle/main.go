// Answers questions about YAML, JSON and selectors with the libraries that Kubernetes itself uses.
// Reads one question a line ({"of": "yaml", "text": "..."}) and writes it with its answer.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

type question struct {
	Of     string              `json:"of"`
	Text   string              `json:"text"`
	Labels []map[string]string `json:"labels,omitempty"`
}

type answer struct {
	question
	JSON       *string  `json:"json,omitempty"`
	Documents  []string `json:"documents,omitempty"`
	Strict     *string  `json:"strict,omitempty"`
	Duplicates []string `json:"duplicates,omitempty"`
	Format     *string  `json:"format,omitempty"`
	Matches    []bool   `json:"matches,omitempty"`
	Error      *string  `json:"error,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		line, err := marshal(answerTo(q))
		if err != nil {
			panic(err)
		}
		out.WriteString(line + "\n")
	}
}

func answerTo(q question) answer {
	a := answer{question: q}
	switch q.Of {
	case "yaml":
		a.setJSON(yaml.YAMLToJSON([]byte(q.Text)))
		if _, err := yaml.YAMLToJSONStrict([]byte(q.Text)); err != nil {
			text := err.Error()
			a.Strict = &text
		}
	case "yaml documents":
		a.setDocuments(q.Text)
	case "yaml format":
		var value any
		if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(q.Text), &value); err != nil {
			panic(err)
		}
		text, err := yaml.Marshal(value)
		formatted := string(text)
		a.Format = &formatted
		a.setError(err)
	case "json":
		var value any
		duplicates, err := kjson.UnmarshalStrict([]byte(q.Text), &value)
		if err != nil {
			a.setError(err)
			break
		}
		a.setJSON(json.Marshal(value))
		for _, duplicate := range duplicates {
			a.Duplicates = append(a.Duplicates, duplicate.(kjson.FieldError).FieldPath())
		}
	case "labels":
		a.setSelector(labels.Parse(q.Text))
	case "label object":
		var object *metav1.LabelSelector
		if err := json.Unmarshal([]byte(q.Text), &object); err != nil {
			panic(err)
		}
		a.setSelector(metav1.LabelSelectorAsSelector(object))
	case "fields":
		selector, err := fields.ParseSelector(q.Text)
		a.setError(err)
		if err == nil {
			text := selector.String()
			a.Format = &text
			for _, set := range q.Labels {
				a.Matches = append(a.Matches, selector.Matches(fields.Set(set)))
			}
		}
	}
	return a
}

func (a *answer) setSelector(selector labels.Selector, err error) {
	a.setError(err)
	if err != nil {
		return
	}
	text := selector.String()
	a.Format = &text
	for _, set := range a.Labels {
		a.Matches = append(a.Matches, selector.Matches(labels.Set(set)))
	}
}

func (a *answer) setDocuments(text string) {
	decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	a.Documents = []string{}
	for {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			a.setError(err)
			return
		}
		a.Documents = append(a.Documents, string(raw))
	}
}

func (a *answer) setJSON(text []byte, err error) {
	a.setError(err)
	if err == nil {
		json := string(text)
		a.JSON = &json
	}
}

func (a *answer) setError(err error) {
	if err != nil {
		text := err.Error()
		a.Error = &text
	}
}

func marshal(value any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSuffix(out.String(), "\n"), err
}
