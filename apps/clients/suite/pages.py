"""Follows the pages of the clients as a reader would: runs the lines of their shell blocks in an
empty folder, and their examples in new projects, with a database that does not sort texts as bytes.
Three things differ. The command is there, and its server has free ports; the clone has only `clients`; and
Prisma's tables are created by SQL, since the program that would do it is downloaded from outside of
the registries."""

import os
import re
import shutil
import subprocess
import tempfile

from scenarios import check
from world import FOLDER, ROOT, Postgres, Server

# IDs that Czech sorts otherwise: it has "ch" after "h".
MISPLACED = "9qa94xhm25x22ch2 9qa94xhm25x22ci2 9qa94xhm25x22hx2".split()

PYTHON = """
export PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1
{install}
python ../first.py

pip install django 'psycopg[binary]'
django-admin startproject shop .
python manage.py startapp orders
echo 'INSTALLED_APPS.append("orders")' >>shop/settings.py
echo 'DATABASES["default"] = {"ENGINE": "django.db.backends.postgresql", "NAME": "postgres"}' >>shop/settings.py
cp ../models.py orders/models.py
python manage.py makemigrations --verbosity 0
python manage.py migrate --verbosity 0
python manage.py shell --verbosity 0 <../use_django.py

pip install sqlalchemy
python ../rows.py
"""
ASYNCIO = """
import asyncio
async def main():
    return await asyncio.gather(*[asyncio.to_thread(ids.next) for _ in range(20)])
print(*sorted(asyncio.run(main())), sep="\\n")
"""
USE_DJANGO = """
from orders.models import Order
made = [Order.objects.create(item=str(index)) for index in range(20)]
assert [order.item for order in Order.objects.order_by("id")] == [str(i) for i in range(20)]
print(*Order.objects.order_by("id").values_list("id", flat=True), sep="\\n")
Order.objects.all().delete()
Order.objects.bulk_create(Order(id=id) for id in MISPLACED)
found = list(Order.objects.order_by("id").values_list("id", flat=True))
assert found == MISPLACED, found
"""
SQLALCHEMY = """
from sqlalchemy import create_engine, delete, select
from sqlalchemy.orm import Session
engine = create_engine("postgresql+psycopg://")
Base.metadata.create_all(engine)
with Session(engine) as session:
    for index in range(20):
        session.add(Order(item=str(index)))
        session.flush()
    rows = session.scalars(select(Order).order_by(Order.id)).all()
    assert [row.item for row in rows] == [str(i) for i in range(20)]
    print(*(row.id for row in rows), sep="\\n")
    session.execute(delete(Order))
    session.add_all(Order(id=id, item="") for id in MISPLACED)
    found = session.scalars(select(Order.id).order_by(Order.id)).all()
    assert found == MISPLACED, found
"""
PHP = """
{install}
mkdir -p app/Models
cp ../TickidError.php ../IdSource.php ../HasTickid.php app
cp ../Order.php app/Models
php ../main.php
"""
LARAVEL = """<?php
error_reporting(E_ALL & ~E_DEPRECATED);
require 'Illuminate/Database/autoload.php';
require 'Illuminate/Events/autoload.php';
use App\\Models\\Order;
use Illuminate\\Database\\Schema\\Blueprint;
use Illuminate\\Support\\Facades\\Schema;

// As in the composer.json of a new project.
spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'App\\\\')) {
        require 'app/' . strtr(substr($class, 4), '\\\\', '/') . '.php';
    }
});
$capsule = new Illuminate\\Database\\Capsule\\Manager();
$database = ['host' => 'PGHOST', 'username' => 'PGUSER', 'database' => 'PGDATABASE'];
$capsule->addConnection(['driver' => 'pgsql'] + array_map('getenv', $database));
$capsule->setEventDispatcher(new Illuminate\\Events\\Dispatcher());
$capsule->setAsGlobal();
$capsule->bootEloquent();
$container = $capsule->getContainer();
$container->instance('db', $capsule->getDatabaseManager());
$container->instance('db.schema', $capsule->schema()); // Since Laravel 9.
Schema::setFacadeApplication($container);
{migration}
for ($i = 0; $i < 20; $i++) {
    $made = Order::create(['item' => "$i"]);
    if (Order::find($made->id)->item !== "$i") throw new Exception($made->toJson());
}
$rows = Order::orderBy('id')->get();
if ($rows->pluck('item')->all() != range(0, 19)) throw new Exception($rows->toJson());
echo $rows->pluck('id')->implode("\\n");
Order::query()->delete();
foreach ({misplaced} as $id) (new Order(['item' => '']))->forceFill(['id' => $id])->save();
$found = Order::orderBy('id')->pluck('id')->all();
if ($found !== {misplaced}) throw new Exception(json_encode($found));
"""
NODE = """
export npm_config_fund=false npm_config_audit=false npm_config_loglevel=silent
{install}
cp ../*.mjs ../*.prisma .
node first.mjs
node json.mjs

npm install drizzle-orm pg >/dev/null
node drizzle.mjs

npm install prisma @prisma/client @prisma/adapter-pg >/dev/null
PRISMA_SCHEMA_ENGINE_BINARY=$(type -P true) npx prisma generate --schema schema.prisma >/dev/null
node prisma.mjs
"""
JSON_OF_INTEGERS = """
if (sent !== '{"id":"110009624767914842"}' || id !== 110009624767914842n) throw new Error(sent);
try { JSON.stringify({ id }); throw new Error('no error'); } catch (error) {
  if (!(error instanceof TypeError)) throw error;
}
if (String(JSON.parse('110009624767914842')) !== '110009624767914850') throw new Error('exact');
"""
DRIZZLE = """
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
const pool = new pg.Pool();
const db = drizzle(pool);
await db.execute(
  `CREATE TABLE orders (id ${orders.id.getSQLType()} PRIMARY KEY, item text NOT NULL)`);
for (let i = 0; i < 20; i++) await addOrder(db, String(i));
const rows = await db.select().from(orders).orderBy(orders.id);
if (rows.some(({ item }, i) => item !== String(i))) throw new Error(JSON.stringify(rows));
console.log(rows.map(({ id }) => id).join('\\n'));
await db.delete(orders);
await db.insert(orders).values(MISPLACED.map((id) => ({ id, item: '' })));
const found = (await db.select().from(orders).orderBy(orders.id)).map(({ id }) => id);
if (String(found) !== String(MISPLACED)) throw new Error(found);
await pool.end();
"""
SCHEMA = """
generator client {
  provider = "prisma-client-js"
}
datasource db {
  provider = "postgresql"
}
"""
PRISMA = """
import { PrismaClient } from '@prisma/client';
import { PrismaPg } from '@prisma/adapter-pg';
const { PGHOST: host, PGUSER: user, PGDATABASE: database } = process.env;
const adapter = new PrismaPg({ host, user, database });
const prisma = new PrismaClient({ adapter }).$extends(withIds);
await prisma.$executeRawUnsafe(
  'CREATE TABLE "Order" (id text PRIMARY KEY NOT NULL, item text NOT NULL)');
await prisma.$executeRawUnsafe(`{collation}`);
for (let i = 0; i < 10; i++) await prisma.order.create({ data: { item: String(i) } });
const data = Array.from({ length: 10 }, (_, i) => ({ item: String(10 + i) }));
await prisma.order.createMany({ data });
const rows = await prisma.order.findMany({ orderBy: { id: 'asc' } });
if (rows.some(({ item }, i) => item !== String(i))) throw new Error(JSON.stringify(rows));
console.log(rows.map(({ id }) => id).join('\\n'));
await prisma.order.deleteMany();
await prisma.order.createMany({ data: MISPLACED.map((id) => ({ id, item: '' })) });
const found = (await prisma.order.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
if (String(found) !== String(MISPLACED)) throw new Error(found);
await prisma.$disconnect();
"""


def path(page):
    """Returns a package's README, or else the page of classes to copy."""
    readme = f"{ROOT}/apps/clients/{page}/README.md"
    return readme if os.path.exists(readme) else f"{ROOT}/docs/clients.md"


def examples(page, heading, language):
    """Returns the blocks of a language below a heading."""
    with open(path(page)) as file:
        _, _, text = ("\n" + file.read()).partition(f"\n{heading}\n")
    return re.findall(rf"```{language}\n(.*?\n)```", text, re.S)


def example(page, heading, language):
    return examples(page, heading, language)[0]


def follow(world, page, script, files):
    """Runs the lines of a page up to its first example, and a script, in an empty folder."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    with open(path(page)) as file:
        serve, *install = re.findall(r"```sh\n(.*?)\n```", file.read(), re.S)
    install = "\n".join(install).replace("CLONE/", "./")
    for name, text in files.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    _, serve = serve.splitlines()
    server = Server(f"{folder}/leases", command=serve.partition("#")[0].split()[1:])
    world.ends(server)
    package = f"apps/clients/{page}"
    os.mkdir(f"{folder}/new")
    if os.path.exists(f"{ROOT}/{package}"):
        ignored = shutil.ignore_patterns("build", "*.egg-info", "node_modules", "__pycache__")
        shutil.copytree(f"{ROOT}/{package}", f"{folder}/new/{package}", ignore=ignored)
    run = ["bash", "-euo", "pipefail", "-c", script.replace("{install}", install)]
    options = {"cwd": f"{folder}/new", "capture_output": True, "text": True, "timeout": 600}
    database = Postgres()
    world.ends(database)
    options["env"] = os.environ | {"TICKID_URL": server.url} | database.variables
    ran = subprocess.run(run, **options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.split()


def python(world):
    files = {"first.py": example("python", "# tickid", "python") + ASYNCIO}
    files |= {"models.py": example("python", "## Django", "python")}
    files["use_django.py"] = f"MISPLACED = {MISPLACED}\n{USE_DJANGO}"
    sqlalchemy = example("python", "## SQLAlchemy", "python")
    files["rows.py"] = f"{sqlalchemy}\nMISPLACED = {MISPLACED}\n{SQLALCHEMY}"
    check({"all": follow(world, "python", PYTHON, files)}, 61)


def node(world):
    files = {"first.mjs": example("node", "# tickid", "js")}
    files["json.mjs"] = example("node", "## Integers and JSON", "js") + JSON_OF_INTEGERS
    misplaced = f"const MISPLACED = {MISPLACED};\n"
    files["drizzle.mjs"] = example("node", "## Drizzle", "js") + misplaced + DRIZZLE
    prisma = PRISMA.replace("{collation}", example("node", "## Prisma", "sql"))
    files["prisma.mjs"] = example("node", "## Prisma", "js") + misplaced + prisma
    files["schema.prisma"] = SCHEMA + example("node", "## Prisma", "prisma")
    check({"all": follow(world, "node", NODE, files)}, 41)


def laravel(world):
    classes = re.split(r"\n(?=final class)", example("php", "## PHP", "php"))
    trait, model, migration = examples("php", "### Laravel", "php")
    texts = dict(zip(("TickidError", "IdSource", "HasTickid"), [*classes, trait]))
    files = {f"{name}.php": f"<?php\nnamespace App;\n{text}" for name, text in texts.items()}
    files["Order.php"] = "<?php\n" + model
    files["main.php"] = LARAVEL.replace("{migration}", migration)
    files["main.php"] = files["main.php"].replace("{misplaced}", str(MISPLACED))
    check({"all": follow(world, "php", PHP, files)}, 20)
