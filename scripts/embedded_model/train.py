"""Step train: one GPU, a few whole runs, the weights of the one with the lowest validation loss."""

import json
import math
import time

from embedded_model.network import make_model
from embedded_model.shape import CONTEXT, SEED

# (dropout, steps): each is one whole training run; the one with the lowest validation loss is kept.
RUNS = ((0.2, 2400), (0.3, 4000), (0.1, 1600))
BATCH = 32
LEARNING_RATE = 1.2e-3
WEIGHT_DECAY = 0.1
WARMUP_STEPS = 150
EVAL_EVERY = 200
TRAIN_SECONDS = 330

CHUNK_BYTES = 15_000_000


def save_weights(model, folder):
    """Matrices as F16, norms and biases as F32, in files below CHUNK_BYTES."""
    import numpy

    chunk, size, index = {}, 0, 0
    for name, value in [*model.state_dict().items(), (None, None)]:
        array = None
        if name is not None:
            array = value.float().cpu().numpy()
            array = array.astype(numpy.float16) if array.ndim == 2 else array
        if chunk and (array is None or size + array.nbytes > CHUNK_BYTES):
            numpy.savez(folder / f"weights_{index}.npz", **chunk)
            chunk, size, index = {}, 0, index + 1
        if array is not None:
            chunk[name], size = array, size + array.nbytes


def run_train(args):
    import numpy
    import torch

    device = args.device
    folder = args.out or args.build
    folder.mkdir(parents=True, exist_ok=True)
    streams = {}
    for name in ("train", "validation"):
        tokens = numpy.fromfile(args.build / f"{name}.tokens", dtype="<u2").astype(numpy.int64)
        streams[name] = torch.from_numpy(tokens).to(device)
    window = torch.arange(CONTEXT + 1, device=device)

    def autocast():
        return torch.autocast(device, dtype=torch.bfloat16)

    def loss_over(model, stream):
        """Mean loss over all whole windows of a stream, one after another, without dropout."""
        model.eval()
        starts = torch.arange(0, len(stream) - CONTEXT - 1, CONTEXT, device=device)
        total = 0.0
        with torch.no_grad(), autocast():
            for part in starts.split(BATCH):
                rows = stream[part[:, None] + window]
                total += model(rows[:, :-1], rows[:, 1:]).item() * len(part)
        model.train()
        return total / len(starts)

    started, best, report = time.time(), math.inf, []
    longest_step = 0.0
    for dropout, steps in RUNS:
        steps = min(steps, args.max_steps)
        left = args.seconds - (time.time() - started)
        if report and longest_step * steps + 15 > left:
            print(f"left out: dropout {dropout}, {steps} steps")
            continue
        torch.manual_seed(SEED)
        model = make_model(dropout).to(device)
        decayed = [p for p in model.parameters() if p.dim() == 2]
        others = [p for p in model.parameters() if p.dim() != 2]
        optimizer = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": WEIGHT_DECAY},
             {"params": others, "weight_decay": 0.0}],
            lr=LEARNING_RATE, betas=(0.9, 0.95), fused=device == "cuda")
        compiled = torch.compile(model) if device == "cuda" else model
        run_started = time.time()
        for step in range(steps):
            rate = min(1.0, (step + 1) / WARMUP_STEPS)
            rate *= 0.5 * (1 + math.cos(math.pi * step / steps)) * 0.99 + 0.01
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * rate
            starts = torch.randint(len(streams["train"]) - CONTEXT - 1, (BATCH, 1), device=device)
            rows = streams["train"][starts + window]
            with autocast():
                loss = compiled(rows[:, :-1], rows[:, 1:])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % EVAL_EVERY == 0 or step == steps - 1:
                validation = loss_over(model, streams["validation"])
                print(f"dropout {dropout} step {step} loss {loss.item():.4f} "
                      f"validation {validation:.4f} {time.time() - run_started:.1f} s", flush=True)
                if time.time() - started > args.seconds:
                    raise SystemExit("out of time")
        seconds = time.time() - run_started
        longest_step = max(longest_step, seconds / steps)
        train = loss_over(model, streams["train"][:len(streams["validation"]) * 4])
        entry = {"dropout": dropout, "steps": steps, "train_loss": round(train, 4),
                 "validation_loss": round(validation, 4), "seconds": round(seconds, 1)}
        report.append(entry)
        print(json.dumps(entry), flush=True)
        if validation < best:
            best = validation
            save_weights(model, folder)
        name = torch.cuda.get_device_name() if device == "cuda" else device
        parameters = sum(p.numel() for p in model.parameters())
        (folder / "report.json").write_text(json.dumps(
            {"device": name, "torch": torch.__version__, "parameters": parameters,
             "runs": report}, indent=1))
