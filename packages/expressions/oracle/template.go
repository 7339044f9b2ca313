package main

import (
	"bytes"
	"encoding/json"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

type templateCase struct {
	Template   string          `json:"t"`
	Data       json.RawMessage `json:"d"`
	MissingKey string          `json:"m"`
	// Plain leaves sprig's functions out.
	Plain bool `json:"plain"`
}

type templateAnswer struct {
	Output string `json:"o"`
	Error  string `json:"e,omitempty"`
}

// Times without a zone are in UTC, and now is always the same.
func answerTemplate(raw json.RawMessage) (any, error) {
	time.Local = time.UTC
	var given templateCase
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, err
	}
	var data any
	if given.Data != nil {
		if err := json.Unmarshal(given.Data, &data); err != nil {
			return nil, err
		}
	}
	functions := template.FuncMap{}
	if !given.Plain {
		functions = sprig.TxtFuncMap()
		functions["now"] = func() time.Time { return time.Date(2026, 3, 29, 12, 30, 45, 123000000, time.UTC) }
		delete(functions, "env")
		delete(functions, "expandenv")
	}
	parsed := template.New("param").Funcs(functions)
	if given.MissingKey != "" {
		parsed = parsed.Option("missingkey=" + given.MissingKey)
	}
	parsed, err := parsed.Parse(given.Template)
	if err != nil {
		return templateAnswer{Error: err.Error()}, nil
	}
	var output bytes.Buffer
	if err := parsed.Execute(&output, data); err != nil {
		return templateAnswer{Error: err.Error()}, nil
	}
	return templateAnswer{Output: output.String()}, nil
}

type timeCase struct {
	Layout string `json:"l"`
	// Text is parsed, Unix and Nano formatted.
	Text string `json:"t"`
	Unix int64  `json:"u"`
	Nano int64  `json:"n"`
	Zone string `json:"z"`
	Kind string `json:"k"`
}

type timeAnswer struct {
	Text  string `json:"text,omitempty"`
	Unix  int64  `json:"unix,omitempty"`
	Nano  int    `json:"nano,omitempty"`
	Error string `json:"error,omitempty"`
}

func answerTime(raw json.RawMessage) (any, error) {
	var given timeCase
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(given.Zone)
	if err != nil {
		return timeAnswer{Error: err.Error()}, nil
	}
	if given.Kind == "format" {
		return timeAnswer{Text: time.Unix(given.Unix, given.Nano).In(zone).Format(given.Layout)}, nil
	}
	parsed, err := time.ParseInLocation(given.Layout, given.Text, zone)
	if err != nil {
		return timeAnswer{Error: err.Error()}, nil
	}
	return timeAnswer{Text: parsed.String(), Unix: parsed.Unix(), Nano: parsed.Nanosecond()}, nil
}
