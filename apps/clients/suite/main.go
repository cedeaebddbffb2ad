func take(ids *IDSource, group, count int) string {
	var lines strings.Builder
	for i := 0; i < count; i++ {
		id, err := ids.Next(context.Background())
		var failure *TickidError
		if errors.As(err, &failure) {
			seconds := "None"
			if failure.RetryAfter > 0 {
				seconds = fmt.Sprint(failure.RetryAfter.Seconds())
			}
			id = "! " + seconds + " " + strings.ReplaceAll(failure.Message, "\n", " ")
		}
		fmt.Fprintf(&lines, "%d %s\n", group, id)
	}
	return lines.String()
}

func main() {
	ids, err := NewIDSource(os.Getenv("REALM"))
	if err != nil {
		panic(err)
	}
	for {
		var command string
		var groups, count int
		if _, err := fmt.Scan(&command, &groups, &count); err != nil {
			return
		}
		answers := make(chan string)
		for group := 0; group < groups; group++ {
			go func(group int) { answers <- take(ids, group, count) }(group)
		}
		for group := 0; group < groups; group++ {
			fmt.Print(<-answers)
		}
		fmt.Println(".")
	}
}
