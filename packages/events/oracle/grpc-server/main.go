// A gRPC server in another language, with the services of Argo Events' event sources and custom triggers, for the tests of
// @tiphys/events. It prints its port, then a line of JSON for each call that it gets.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

var printing sync.Mutex

func say(fields map[string]any) {
	printing.Lock()
	defer printing.Unlock()
	line, _ := json.Marshal(fields)
	fmt.Println(string(line))
}

func headers(ctx context.Context) map[string]string {
	found := map[string]string{}
	given, _ := metadata.FromIncomingContext(ctx)
	for name, values := range given {
		found[name] = strings.Join(values, ",")
	}
	return found
}

// What the configuration of an event source says: payloads to send, so often, and how the stream goes on then.
type script struct {
	Payloads []string `json:"payloads"`
	Times    int      `json:"times"`
	// "wait" (until the client leaves), "end", or the text of a failure.
	End string `json:"end"`
}

func startEventSource(_ any, stream grpc.ServerStream) error {
	asked := empty("EventSource")
	if err := stream.RecvMsg(asked.Message); err != nil {
		return err
	}
	say(map[string]any{"call": "StartEventSource", "name": asked.text("name"), "config": asked.text("config"), "headers": headers(stream.Context())})
	var plan script
	if err := json.Unmarshal([]byte(asked.text("config")), &plan); err != nil {
		return status.Errorf(codes.InvalidArgument, "the config is no JSON: %v", err)
	}
	for turn := 0; turn < max(1, plan.Times); turn++ {
		for _, payload := range plan.Payloads {
			event := empty("Event").with("name", asked.text("name")).with("payload", []byte(payload))
			if err := stream.SendMsg(event.Message); err != nil {
				return err
			}
		}
	}
	switch plan.End {
	case "end":
		return nil
	case "wait", "":
		<-stream.Context().Done()
		say(map[string]any{"call": "left"})
		return nil
	}
	return status.Error(codes.Internal, plan.End)
}

func fetchResource(_ context.Context, asked message) (message, error) {
	resource := asked.text("resource")
	for line := range strings.SplitSeq(resource, "\n") {
		if problem, ok := strings.CutPrefix(line, "unavailable: "); ok {
			return message{}, status.Error(codes.Unavailable, problem)
		}
		if given, ok := strings.CutPrefix(line, "resource: "); ok {
			resource = strings.Trim(given, "'")
		}
	}
	return empty("FetchResourceResponse").with("resource", []byte(resource)), nil
}

func execute(ctx context.Context, asked message) (message, error) {
	resource := asked.text("resource")
	if strings.Contains(resource, "refuse") {
		return message{}, status.Error(codes.FailedPrecondition, "it is refused: grüße 100%")
	}
	if strings.Contains(resource, "never") {
		<-ctx.Done()
		return message{}, ctx.Err()
	}
	return empty("ExecuteResponse").with("response", []byte("did "+asked.text("payload")+resource)), nil
}

func applyPolicy(_ context.Context, asked message) (message, error) {
	isGood := !strings.Contains(asked.text("request"), "bad")
	return empty("ApplyPolicyResponse").with("success", isGood).with("message", "the policy has spoken"), nil
}

func unary(name string, answer func(context.Context, message) (message, error)) grpc.MethodDesc {
	handler := func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		asked := empty(name + "Request")
		if err := decode(asked.Message); err != nil {
			return nil, err
		}
		said := map[string]any{"call": name, "headers": headers(ctx)}
		for _, one := range shapes[name+"Request"] {
			said[one.name] = asked.text(one.name)
		}
		say(said)
		answered, err := answer(ctx, asked)
		return answered.Message, err
	}
	return grpc.MethodDesc{MethodName: name, Handler: handler}
}

func main() {
	port := flag.Int("port", 0, "where to listen")
	certificate := flag.String("cert", "", "a PEM file")
	key := flag.String("key", "", "a PEM file")
	flag.Parse()
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	fail(err)
	var options []grpc.ServerOption
	if *certificate != "" {
		loaded, err := credentials.NewServerTLSFromFile(*certificate, *key)
		fail(err)
		options = append(options, grpc.Creds(loaded))
	}
	server := grpc.NewServer(options...)
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "generic.Eventing",
		HandlerType: (*any)(nil),
		Streams:     []grpc.StreamDesc{{StreamName: "StartEventSource", Handler: startEventSource, ServerStreams: true}},
	}, nil)
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "triggers.Trigger",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			unary("FetchResource", fetchResource),
			unary("Execute", execute),
			unary("ApplyPolicy", applyPolicy),
		},
	}, nil)
	say(map[string]any{"port": listener.Addr().(*net.TCPAddr).Port})
	fail(server.Serve(listener))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
