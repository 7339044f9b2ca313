package main

import (
	"encoding/json"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

type sjsonCase struct {
	JSON   string  `json:"j"`
	Path   string  `json:"p"`
	Value  any     `json:"v,omitempty"`
	Raw    *string `json:"r,omitempty"`
	Delete bool    `json:"d,omitempty"`
}

type sjsonAnswer struct {
	Error string `json:"error,omitempty"`
	Out   string `json:"out"`
	Valid bool   `json:"valid,omitempty"`
}

func answerSjson(raw json.RawMessage) (any, error) {
	var c sjsonCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	var out string
	var err error
	switch {
	case c.Delete:
		out, err = sjson.Delete(c.JSON, c.Path)
	case c.Raw != nil:
		out, err = sjson.SetRaw(c.JSON, c.Path, *c.Raw)
	default:
		out, err = sjson.Set(c.JSON, c.Path, c.Value)
	}
	if err != nil {
		return sjsonAnswer{Error: err.Error()}, nil
	}
	return sjsonAnswer{Out: out, Valid: gjson.Valid(out)}, nil
}
