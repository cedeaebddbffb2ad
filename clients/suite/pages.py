"""Runs the examples of docs/clients as their reader would."""

import os
import re
import subprocess
import sys
import tempfile

from scenarios import check
from world import FOLDER, ROOT

DJANGO = """
import os, sys, django
from django.conf import settings
from django.core.management import call_command
database = {"ENGINE": "django.db.backends.sqlite3", "NAME": "orders.sqlite"}
settings.configure(INSTALLED_APPS=["shop"], DATABASES={"default": database})
django.setup()
call_command("makemigrations", "shop", verbosity=0)
call_command("migrate", verbosity=0)
from shop.models import Order
for index in range(20):
    Order.objects.create(item=str(index))
assert [order.item for order in Order.objects.order_by("id")] == [str(i) for i in range(20)]
print(*Order.objects.order_by("id").values_list("id", flat=True), sep="\\n")
"""
SQLALCHEMY = """
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session
engine = create_engine("sqlite://")
Base.metadata.create_all(engine)
with Session(engine) as session:
    for index in range(20):
        session.add(Order(item=str(index)))
        session.flush()
    rows = session.scalars(select(Order).order_by(Order.id)).all()
    assert [row.item for row in rows] == [str(i) for i in range(20)]
    print(*(row.id for row in rows), sep="\\n")
"""
LARAVEL = """
error_reporting(E_ALL & ~E_DEPRECATED);
require 'Illuminate/Database/autoload.php';
require 'Illuminate/Events/autoload.php';
$capsule = new Illuminate\\Database\\Capsule\\Manager();
$capsule->addConnection(['driver' => 'sqlite', 'database' => ':memory:']);
$capsule->setEventDispatcher(new Illuminate\\Events\\Dispatcher());
$capsule->setAsGlobal();
$capsule->bootEloquent();
$capsule->schema()->create('orders', function ($table) {
    $table->char('id', 16)->primary();
    $table->string('item');
});
class Order extends Illuminate\\Database\\Eloquent\\Model
{
    use HasTickid;
    public $timestamps = false;
    protected $guarded = [];
}
for ($i = 0; $i < 20; $i++) {
    $made = Order::create(['item' => "$i"]);
    assert(Order::find($made->id)->item === "$i");
}
$rows = Order::orderBy('id')->get();
if ($rows->pluck('item')->all() != range(0, 19)) throw new Exception($rows->toJson());
echo $rows->pluck('id')->implode("\\n");
"""
DRIZZLE = """
import { drizzle } from 'drizzle-orm/sql-js';
import initSqlJs from 'sql.js';
const sqlite = new (await initSqlJs()).Database();
sqlite.run('CREATE TABLE orders (id text PRIMARY KEY, item text NOT NULL)');
const db = drizzle(sqlite);
for (let i = 0; i < 20; i++) await addOrder(db, String(i));
const rows = await db.select().from(orders).orderBy(orders.id);
if (rows.some(({ item }, i) => item !== String(i))) throw new Error(JSON.stringify(rows));
console.log(rows.map(({ id }) => id).join('\\n'));
"""


def example(page, heading, language):
    """Returns the first block of a language below a heading."""
    with open(f"{ROOT}/docs/clients/{page}.md") as file:
        _, _, text = ("\n" + file.read()).partition(f"\n{heading}\n")
    return re.search(rf"```{language}\n(.*?)\n```", text, re.S)[1] + "\n"


def ids_of(world, command, files):
    folder = tempfile.mkdtemp(dir=FOLDER)
    for name, text in files.items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    if "NODE_MODULES" in os.environ:
        os.symlink(os.environ["NODE_MODULES"], f"{folder}/node_modules")
    env = os.environ | {"TICKID_URL": world.servers[0].unix_url}
    env["PYTHONPATH"] = f"{ROOT}/clients/python"
    ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    check({"0": ran.stdout.split()}, 20)


def django(world):
    files = {"shop/__init__.py": "", "shop/models.py": example("python", "## Django", "python")}
    files |= {"shop/migrations/__init__.py": "", "main.py": DJANGO}
    ids_of(world, [sys.executable, "main.py"], files)


def sqlalchemy(world):
    text = example("python", "## SQLAlchemy", "python") + SQLALCHEMY
    ids_of(world, [sys.executable, "main.py"], {"main.py": text})


def drizzle(world):
    text = example("node", "## Drizzle", "js") + DRIZZLE
    ids_of(world, ["node", "main.mjs"], {"main.mjs": text})


def laravel(world):
    text = "<?php\n" + example("php", "# IDs in PHP", "php") + example("php", "## Laravel", "php")
    ids_of(world, ["php", "main.php"], {"main.php": text + LARAVEL})
