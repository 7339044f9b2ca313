package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/itchyny/gojq"
)

type jqCase struct {
	Program string          `json:"p"`
	Input   json.RawMessage `json:"i"`
}

type jqAnswer struct {
	// Refused when the program does not parse or compile.
	Refused string   `json:"refused,omitempty"`
	Outputs []string `json:"out,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// The answers must not depend on the zone of the machine.
func init() {
	time.Local = time.UTC
}

const maxJqOutputs = 40

// The numbers of the input are floating-point numbers, as in an event that Argo Events transforms.
func answerJq(raw json.RawMessage) (any, error) {
	var c jqCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	query, err := gojq.Parse(c.Program)
	if err != nil {
		return jqAnswer{Refused: err.Error()}, nil
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return jqAnswer{Refused: err.Error()}, nil
	}
	var input any
	if err := json.Unmarshal(c.Input, &input); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	answer := jqAnswer{}
	outputs := code.RunWithContext(ctx, input)
	for len(answer.Outputs) < maxJqOutputs {
		value, ok := outputs.Next()
		if !ok {
			break
		}
		if err, isError := value.(error); isError {
			answer.Error = err.Error()
			break
		}
		text, err := gojq.Marshal(value)
		if err != nil {
			return nil, err
		}
		answer.Outputs = append(answer.Outputs, string(text))
	}
	return answer, nil
}
