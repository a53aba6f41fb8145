// Drives the agent at the URL that is the first argument with the official Go client, which speaks A2A 0.3: each transport by itself.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The same as in scenes.mjs.
const (
	sendScript      = "artifact a a text\ncomplete done"
	pollScript      = "working\nsleep 300\ncomplete done"
	streamScript    = "working\nchunks 5 20\ncomplete done"
	subscribeScript = "working\nchunks 10 100\ncomplete done"
	cancelScript    = "working\nhang"
	askScript       = "input which one?"
	answerScript    = "complete done"
	pushScript      = "working\nsleep 500\ncomplete done"
)

type scenes struct {
	client *a2aclient.Client
}

func params(text string, blocking bool, after a2a.TaskInfoProvider) *a2a.MessageSendParams {
	message := a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: text})
	if after != nil {
		message = a2a.NewMessageForTask(a2a.MessageRoleUser, after, a2a.TextPart{Text: text})
	}
	return &a2a.MessageSendParams{Message: message, Config: &a2a.MessageSendConfig{Blocking: &blocking}}
}

func (s scenes) task(ctx context.Context, text string, blocking bool, after a2a.TaskInfoProvider) (*a2a.Task, error) {
	result, err := s.client.SendMessage(ctx, params(text, blocking, after))
	if err != nil {
		return nil, err
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		return nil, fmt.Errorf("the answer is a %T", result)
	}
	return task, nil
}

func (s scenes) until(ctx context.Context, id a2a.TaskID, state a2a.TaskState) error {
	for {
		task, err := s.client.GetTask(ctx, &a2a.TaskQueryParams{ID: id})
		if err != nil {
			return err
		}
		if task.Status.State == state {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the task does not come to %s", state)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func textOf(parts []a2a.Part) string {
	var text strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case a2a.TextPart:
			text.WriteString(part.Text)
		case *a2a.TextPart:
			text.WriteString(part.Text)
		}
	}
	return text.String()
}

func artifactText(task *a2a.Task) string {
	var text strings.Builder
	for _, artifact := range task.Artifacts {
		text.WriteString(textOf(artifact.Parts))
	}
	return text.String()
}

func expect(actual, expected any) error {
	if actual != expected {
		return fmt.Errorf("%v is not %v", actual, expected)
	}
	return nil
}

// The state that a stream ends with, and the text of its artifact.
func follow(events iter.Seq2[a2a.Event, error], expected string) error {
	var state a2a.TaskState
	var text string
	for event, err := range events {
		if err != nil {
			return err
		}
		switch event := event.(type) {
		case *a2a.Task:
			state, text = event.Status.State, artifactText(event)
		case *a2a.TaskStatusUpdateEvent:
			state = event.Status.State
		case *a2a.TaskArtifactUpdateEvent:
			text += textOf(event.Artifact.Parts)
		}
	}
	return errors.Join(expect(state, a2a.TaskStateCompleted), expect(text, expected))
}

func (s scenes) send(ctx context.Context) error {
	task, err := s.task(ctx, sendScript, true, nil)
	if err != nil {
		return err
	}
	return errors.Join(
		expect(task.Status.State, a2a.TaskStateCompleted),
		expect(artifactText(task), "a text"),
		expect(textOf(task.Status.Message.Parts), "done"),
	)
}

func (s scenes) poll(ctx context.Context) error {
	task, err := s.task(ctx, pollScript, false, nil)
	if err != nil {
		return err
	}
	if task.Status.State != a2a.TaskStateSubmitted && task.Status.State != a2a.TaskStateWorking {
		return fmt.Errorf("the answer did not come at once: it is %s", task.Status.State)
	}
	return s.until(ctx, task.ID, a2a.TaskStateCompleted)
}

func (s scenes) stream(ctx context.Context) error {
	return follow(s.client.SendStreamingMessage(ctx, params(streamScript, true, nil)), "1 2 3 4 5 ")
}

func (s scenes) subscribe(ctx context.Context) error {
	task, err := s.task(ctx, subscribeScript, false, nil)
	if err != nil {
		return err
	}
	return follow(s.client.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: task.ID}), "1 2 3 4 5 6 7 8 9 10 ")
}

func (s scenes) cancel(ctx context.Context) error {
	task, err := s.task(ctx, cancelScript, false, nil)
	if err != nil {
		return err
	}
	if err := s.until(ctx, task.ID, a2a.TaskStateWorking); err != nil {
		return err
	}
	canceled, err := s.client.CancelTask(ctx, &a2a.TaskIDParams{ID: task.ID})
	if err != nil {
		return err
	}
	return expect(canceled.Status.State, a2a.TaskStateCanceled)
}

func (s scenes) conversation(ctx context.Context) error {
	asked, err := s.task(ctx, askScript, true, nil)
	if err != nil {
		return err
	}
	if err := expect(asked.Status.State, a2a.TaskStateInputRequired); err != nil {
		return err
	}
	done, err := s.task(ctx, answerScript, true, asked)
	if err != nil {
		return err
	}
	return errors.Join(expect(done.ID, asked.ID), expect(done.Status.State, a2a.TaskStateCompleted))
}

func (s scenes) unknownTask(ctx context.Context) error {
	_, err := s.client.GetTask(ctx, &a2a.TaskQueryParams{ID: "00000000-0000-7000-8000-000000000000"})
	if err == nil {
		return errors.New("an unknown task was found")
	}
	if !errors.Is(err, a2a.ErrTaskNotFound) && !strings.Contains(strings.ToLower(err.Error()), "not found") {
		return err
	}
	return nil
}

type notification struct {
	TaskID string `json:"taskId"`
	ID     string `json:"id"`
	Status struct {
		State string `json:"state"`
	} `json:"status"`
}

func (s scenes) push(ctx context.Context) error {
	completed := make(chan [2]string, 16)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		var told notification
		if json.NewDecoder(request.Body).Decode(&told) == nil && told.Status.State == "completed" {
			completed <- [2]string{told.ID + told.TaskID, request.Header.Get("x-a2a-notification-token")}
		}
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	task, err := s.task(ctx, pushScript, false, nil)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://%s/hook", listener.Addr())
	config := a2a.PushConfig{ID: "mine", URL: url, Token: "secret"}
	made, err := s.client.SetTaskPushConfig(ctx, &a2a.TaskPushConfig{TaskID: task.ID, Config: config})
	if err != nil {
		return err
	}
	if err := errors.Join(expect(made.Config.URL, url), expect(made.Config.Token, "")); err != nil {
		return err
	}
	select {
	case seen := <-completed:
		return expect(seen, [2]string{string(task.ID), "secret"})
	case <-ctx.Done():
		return errors.New("there was no notification")
	}
}

func tell(transport a2a.TransportProtocol, scene, status, reason string) {
	result := map[string]string{"interface": string(transport) + " 0.3", "scene": scene, "status": status}
	if reason != "" {
		result["reason"] = reason
	}
	line, _ := json.Marshal(result)
	fmt.Println(string(line))
}

func play(card *a2a.AgentCard, transport a2a.TransportProtocol) error {
	insecureGRPC := a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))
	only := a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{transport}})
	client, err := a2aclient.NewFromCard(context.Background(), card, insecureGRPC, only)
	if err != nil {
		return err
	}
	s := scenes{client}
	for _, scene := range []struct {
		name string
		act  func(context.Context) error
	}{
		{"send", s.send},
		{"poll", s.poll},
		{"stream", s.stream},
		{"subscribe", s.subscribe},
		{"cancel", s.cancel},
		{"conversation", s.conversation},
		{"unknownTask", s.unknownTask},
		{"push", s.push},
	} {
		if scene.name == "push" && !card.Capabilities.PushNotifications {
			tell(transport, scene.name, "skipped", "the card does not offer it")
			continue
		}
		ctx, done := context.WithTimeout(context.Background(), 30*time.Second)
		if err := scene.act(ctx); err != nil {
			tell(transport, scene.name, "failed", err.Error())
		} else {
			tell(transport, scene.name, "passed", "")
		}
		done()
	}
	return client.Destroy()
}

func main() {
	card, err := agentcard.DefaultResolver.Resolve(context.Background(), os.Args[1])
	for _, transport := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolGRPC} {
		if err == nil {
			err = play(card, transport)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
