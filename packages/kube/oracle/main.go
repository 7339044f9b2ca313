// Answers questions about YAML, JSON and selectors with the libraries that Kubernetes itself uses.
// Reads one question a line ({"of": "yaml", "text": "..."}) and writes it with its answer.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/moby/spdystream/spdy"
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
	case "spdy read":
		a.readFrames(q.Text)
	case "spdy write":
		a.writeFrames()
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

// readFrames tells what frames, given in hexadecimal, say.
func (a *answer) readFrames(text string) {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	framer, err := spdy.NewFramer(io.Discard, bytes.NewReader(data))
	if err != nil {
		panic(err)
	}
	a.Documents = []string{}
	for {
		frame, err := framer.ReadFrame()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			a.setError(err)
			return
		}
		a.Documents = append(a.Documents, describeFrame(frame))
	}
}

func describeFrame(frame spdy.Frame) string {
	switch f := frame.(type) {
	case *spdy.SynStreamFrame:
		return fmt.Sprintf("syn-stream %d %v last=%t", f.StreamId, f.Headers, f.CFHeader.Flags&spdy.ControlFlagFin != 0)
	case *spdy.SynReplyFrame:
		return fmt.Sprintf("syn-reply %d %v last=%t", f.StreamId, f.Headers, f.CFHeader.Flags&spdy.ControlFlagFin != 0)
	case *spdy.DataFrame:
		return fmt.Sprintf("data %d %s last=%t", f.StreamId, f.Data, f.Flags&spdy.DataFlagFin != 0)
	case *spdy.RstStreamFrame:
		return fmt.Sprintf("rst-stream %d %d", f.StreamId, f.Status)
	case *spdy.PingFrame:
		return fmt.Sprintf("ping %d", f.Id)
	case *spdy.GoAwayFrame:
		return fmt.Sprintf("goaway %d %d", f.LastGoodStreamId, f.Status)
	default:
		return fmt.Sprintf("%T", frame)
	}
}

// writeFrames gives, in hexadecimal, what Go sends for a port to be forwarded.
func (a *answer) writeFrames() {
	var out bytes.Buffer
	framer, err := spdy.NewFramer(&out, &bytes.Buffer{})
	if err != nil {
		panic(err)
	}
	headers := func(kind string) http.Header {
		return http.Header{"Streamtype": {kind}, "Port": {"8080"}, "Requestid": {"0"}}
	}
	frames := []spdy.Frame{
		&spdy.SynStreamFrame{StreamId: 1, Headers: headers("error")},
		&spdy.DataFrame{StreamId: 1, Flags: spdy.DataFlagFin},
		&spdy.SynStreamFrame{StreamId: 3, Headers: headers("data"), Priority: 2},
		&spdy.SynReplyFrame{StreamId: 1, Headers: http.Header{}},
		&spdy.DataFrame{StreamId: 3, Data: []byte("hello")},
		&spdy.PingFrame{Id: 7},
		&spdy.SettingsFrame{FlagIdValues: []spdy.SettingsFlagIdValue{{Id: spdy.SettingsInitialWindowSize, Value: 65536}}},
		&spdy.WindowUpdateFrame{StreamId: 3, DeltaWindowSize: 100},
		&spdy.HeadersFrame{StreamId: 3, Headers: http.Header{"X": {"1", "2"}}},
		&spdy.RstStreamFrame{StreamId: 3, Status: spdy.Cancel},
		&spdy.GoAwayFrame{LastGoodStreamId: 3, Status: 0},
	}
	for _, frame := range frames {
		if err := framer.WriteFrame(frame); err != nil {
			panic(err)
		}
	}
	text := hex.EncodeToString(out.Bytes())
	a.Format = &text
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
