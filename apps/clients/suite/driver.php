$ids = new IdSource(getenv('REALM'), null, (float) getenv('TIMEOUT'));

function take(IdSource $ids, int $group, int $count): string
{
    $lines = '';
    for ($i = 0; $i < $count; $i++) {
        try {
            $lines .= "$group {$ids->next()}\n";
        } catch (TickidError $error) {
            $seconds = $error->retryAfter ?? 'None';
            $message = strtr(trim($error->getMessage()), "\n", ' ');
            $lines .= "$group ! $seconds $message\n";
        }
    }
    return $lines;
}

while ($line = fgets(STDIN)) {
    [$command, $groups, $count] = explode(' ', trim($line));
    if ($command === 'next') {
        echo take($ids, 0, $count);
    }
    $readers = [];
    for ($group = 0; $command === 'fork' && $group < $groups; $group++) {
        [$reader, $writer] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        if (pcntl_fork() === 0) {
            fwrite($writer, take($ids, $group, $count));
            exit;
        }
        fclose($writer);
        $readers[] = $reader;
    }
    echo implode(array_map('stream_get_contents', $readers)), ".\n";
}
