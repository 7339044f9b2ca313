package main

import (
	"bytes"
	"encoding/json"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"
)

type jsonPathCase struct {
	Template     string          `json:"t"`
	Data         json.RawMessage `json:"d"`
	AllowMissing bool            `json:"allow,omitempty"`
	// JSON asks for values as -o jsonpath-as-json prints them.
	JSON bool `json:"json,omitempty"`
}

type jsonPathAnswer struct {
	Parse  string `json:"parse,omitempty"`
	Error  string `json:"error,omitempty"`
	Output string `json:"out"`
}

func answerJSONPath(raw json.RawMessage) (any, error) {
	var c jsonPathCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	var data any
	if err := utiljson.Unmarshal(c.Data, &data); err != nil {
		return nil, err
	}
	path := jsonpath.New("out").AllowMissingKeys(c.AllowMissing)
	path.EnableJSONOutput(c.JSON)
	if err := path.Parse(c.Template); err != nil {
		return jsonPathAnswer{Parse: err.Error()}, nil
	}
	var out bytes.Buffer
	if err := path.Execute(&out, data); err != nil {
		return jsonPathAnswer{Error: err.Error(), Output: out.String()}, nil
	}
	return jsonPathAnswer{Output: out.String()}, nil
}
