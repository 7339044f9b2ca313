package main

import (
	"encoding/json"
	"strconv"
	"unicode/utf16"

	"github.com/tidwall/gjson"
)

type gjsonCase struct {
	JSON string `json:"j"`
	Path string `json:"p"`
}

type gjsonAnswer struct {
	Type    string          `json:"t"`
	Raw     string          `json:"r,omitempty"`
	Str     string          `json:"s,omitempty"`
	Num     string          `json:"n,omitempty"`
	String  *string         `json:"string,omitempty"`
	Index   int             `json:"i,omitempty"`
	Indexes []int           `json:"ix,omitempty"`
	Array   []string        `json:"a,omitempty"`
	Value   json.RawMessage `json:"v,omitempty"`
	Valid   bool            `json:"valid,omitempty"`
}

// The index in UTF-16 units of a byte in the text.
func unitIndex(text string, index int) int {
	if index > len(text) {
		return -1
	}
	return len(utf16.Encode([]rune(text[:index])))
}

func answerGjson(raw json.RawMessage) (any, error) {
	var c gjsonCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	result := gjson.Get(c.JSON, c.Path)
	answer := gjsonAnswer{
		Type:  result.Type.String(),
		Raw:   result.Raw,
		Str:   result.Str,
		Index: unitIndex(c.JSON, result.Index),
		Valid: gjson.Valid(c.JSON),
	}
	if result.Num != 0 {
		answer.Num = strconv.FormatFloat(result.Num, 'g', -1, 64)
	}
	if text := result.String(); text != result.Raw && text != result.Str {
		answer.String = &text
	}
	for _, index := range result.Indexes {
		answer.Indexes = append(answer.Indexes, unitIndex(c.JSON, index))
	}
	if result.Type == gjson.JSON {
		for _, element := range result.Array() {
			answer.Array = append(answer.Array, element.Raw)
		}
		if len(answer.Array) == 1 {
			answer.Array = nil
		}
		if value, err := json.Marshal(result.Value()); err == nil && len(value) < 400 && string(value) != result.Raw {
			answer.Value = value
		}
	}
	return answer, nil
}
