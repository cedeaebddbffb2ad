$ids = new IdSource(getenv('REALM'), null, (float) getenv('TIMEOUT'));
while ($line = fgets(STDIN)) {
    [, , $count] = explode(' ', trim($line));
    for ($i = 0; $i < $count; $i++) {
        try {
            $id = $ids->next();
            echo "0 $id\n";
        } catch (TickidError $error) {
            echo '0 ! ', $error->retryAfter ?? 'None', ' ', trim($error->getMessage()), "\n";
        }
    }
    echo ".\n";
}
