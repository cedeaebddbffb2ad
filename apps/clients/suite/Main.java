final class Main {
    public static void main(String[] arguments) throws Exception {
        var ids = new IdSource(System.getenv("TICKID_URL"), System.getenv("REALM"));
        var input = new Scanner(System.in);
        while (input.hasNext()) {
            boolean threads = input.next().equals("threads");
            int groups = input.nextInt();
            int count = input.nextInt();
            var answers = new StringBuffer();
            var started = new ArrayList<Thread>();
            for (int group = 0; group < groups; group++) {
                int number = group;
                started.add(new Thread(() -> answers.append(take(ids, number, count))));
                started.get(group).start();
            }
            for (var thread : started) thread.join();
            System.out.print(answers + ".\n");
            System.out.flush();
        }
    }

    static String take(IdSource ids, int group, int count) {
        var lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            try {
                lines.append(group + " " + ids.next() + "\n");
            } catch (TickidException error) {
                var seconds = error.retryAfter == 0 ? "None" : "" + error.retryAfter;
                lines.append(group + " ! " + seconds + " " + message(error) + "\n");
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        }
        return lines.toString();
    }

    static String message(Exception error) {
        return error.getMessage().replace("\n", " ");
    }
}
