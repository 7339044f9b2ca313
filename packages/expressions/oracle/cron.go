package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

// A case reads one schedule and, if it can be read, asks for the times that follow each instant.
type cronCase struct {
	Spec  string   `json:"spec"`
	Parse []string `json:"parse,omitempty"`
	Zone  string   `json:"zone,omitempty"`
	After []int64  `json:"after,omitempty"`
	Times int      `json:"times,omitempty"`
}

type cronAnswer struct {
	Error string    `json:"error,omitempty"`
	Next  [][]int64 `json:"next,omitempty"`
}

var parseOptions = map[string]cron.ParseOption{
	"second":            cron.Second,
	"minute":            cron.Minute,
	"hour":              cron.Hour,
	"dayOfMonth":        cron.Dom,
	"month":             cron.Month,
	"dayOfWeek":         cron.Dow,
	"optionalSecond":    cron.SecondOptional,
	"optionalDayOfWeek": cron.DowOptional,
	"descriptors":       cron.Descriptor,
}

func answerCron(raw json.RawMessage) (any, error) {
	var c cronCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	schedule, err := parseSchedule(c)
	if err != nil {
		return cronAnswer{Error: err.Error()}, nil
	}
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return nil, err
	}
	answer := cronAnswer{}
	for _, after := range c.After {
		at := time.UnixMilli(after).In(zone)
		next := []int64{}
		for len(next) < c.Times {
			at = nextOrPanic(schedule, at)
			if at.IsZero() {
				break
			}
			next = append(next, at.Unix())
		}
		answer.Next = append(answer.Next, next)
	}
	return answer, nil
}

// Across a day that a zone left out the library never returns. There is no answer to compare with.
func nextOrPanic(schedule cron.Schedule, after time.Time) time.Time {
	found := make(chan time.Time, 1)
	go func() { found <- schedule.Next(after) }()
	select {
	case next := <-found:
		return next
	case <-time.After(2 * time.Second):
		panic("no answer")
	}
}

// Kubernetes catches the panic of the library with these words.
func parseSchedule(c cronCase) (schedule cron.Schedule, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("invalid schedule format: %v", reason)
		}
	}()
	if c.Parse == nil {
		return cron.ParseStandard(c.Spec)
	}
	var options cron.ParseOption
	for _, name := range c.Parse {
		options |= parseOptions[name]
	}
	return cron.NewParser(options).Parse(c.Spec)
}

type durationCase struct {
	Text  *string `json:"text,omitempty"`
	Nanos string  `json:"nanos,omitempty"`
}

type durationAnswer struct {
	Error string `json:"error,omitempty"`
	Nanos string `json:"nanos,omitempty"`
	Text  string `json:"text,omitempty"`
}

func answerDuration(raw json.RawMessage) (any, error) {
	var c durationCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	if c.Text == nil {
		nanos, err := strconv.ParseInt(c.Nanos, 10, 64)
		return durationAnswer{Text: time.Duration(nanos).String()}, err
	}
	duration, err := time.ParseDuration(*c.Text)
	if err != nil {
		return durationAnswer{Error: err.Error()}, nil
	}
	return durationAnswer{Nanos: strconv.FormatInt(int64(duration), 10), Text: duration.String()}, nil
}
