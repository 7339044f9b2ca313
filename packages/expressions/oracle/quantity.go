package main

import (
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// A case parses one quantity, or two to combine.
type quantityCase struct {
	A string  `json:"a"`
	B *string `json:"b,omitempty"`
}

type quantityAnswer struct {
	Error   string `json:"error,omitempty"`
	Text    string `json:"text,omitempty"`
	Format  string `json:"format,omitempty"`
	Sign    int    `json:"sign"`
	Int     string `json:"int,omitempty"`
	Value   string `json:"value,omitempty"`
	Milli   string `json:"milli,omitempty"`
	Float   string `json:"float,omitempty"`
	Compare *int   `json:"cmp,omitempty"`
	Sum     string `json:"sum,omitempty"`
	Minus   string `json:"minus,omitempty"`
}

func answerQuantity(raw json.RawMessage) (any, error) {
	var c quantityCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	a, err := resource.ParseQuantity(c.A)
	if err != nil {
		return quantityAnswer{Error: err.Error()}, nil
	}
	answer := quantityAnswer{Format: string(a.Format), Sign: a.Sign()}
	answer.Float = strconv.FormatFloat(a.AsApproximateFloat64(), 'e', -1, 64)
	if value, ok := a.AsInt64(); ok {
		answer.Int = strconv.FormatInt(value, 10)
	}
	answer.Value = strconv.FormatInt(a.Value(), 10)
	answer.Milli = strconv.FormatInt(a.MilliValue(), 10)
	answer.Text = a.String()
	if c.B == nil {
		return answer, nil
	}
	b, err := resource.ParseQuantity(*c.B)
	if err != nil {
		return quantityAnswer{Error: err.Error()}, nil
	}
	left, right := a.DeepCopy(), b.DeepCopy()
	compare := left.Cmp(right)
	answer.Compare = &compare
	sum := a.DeepCopy()
	sum.Add(b.DeepCopy())
	answer.Sum = sum.String()
	minus := a.DeepCopy()
	minus.Sub(b.DeepCopy())
	answer.Minus = minus.String()
	return answer, nil
}
