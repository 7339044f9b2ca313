package main

import (
	"encoding/json"
	"regexp"
)

type regexCase struct {
	Pattern string   `json:"p"`
	Texts   []string `json:"t"`
	Limit   int      `json:"n,omitempty"`
}

type regexMatch struct {
	Matches bool     `json:"m"`
	Find    string   `json:"f"`
	All     []string `json:"a"`
}

type regexAnswer struct {
	Error string       `json:"error,omitempty"`
	Texts []regexMatch `json:"texts,omitempty"`
}

func answerRegex(raw json.RawMessage) (any, error) {
	c := regexCase{Limit: -1}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	pattern, err := regexp.Compile(c.Pattern)
	if err != nil {
		return regexAnswer{Error: err.Error()}, nil
	}
	answer := regexAnswer{}
	for _, text := range c.Texts {
		all := pattern.FindAllString(text, c.Limit)
		if all == nil {
			all = []string{}
		}
		answer.Texts = append(answer.Texts, regexMatch{pattern.MatchString(text), pattern.FindString(text), all})
	}
	return answer, nil
}
