/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/tree.h"

#include "policy/identity.h"

static bool before(const struct sim_entity *a, const struct sim_entity *b)
{
	s64 apart = (s64)(a->key_vns - b->key_vns);

	return apart ? apart < 0 : a->order < b->order;
}

static void learn_from(struct sim_entity *node, const struct sim_entity *child)
{
	if (!child)
		return;
	if ((s64)(child->min_vruntime_vns - node->min_vruntime_vns) < 0)
		node->min_vruntime_vns = child->min_vruntime_vns;
	if (child->min_slice_ns < node->min_slice_ns)
		node->min_slice_ns = child->min_slice_ns;
	if (child->max_slice_ns > node->max_slice_ns)
		node->max_slice_ns = child->max_slice_ns;
}

static void learn(struct sim_entity *node)
{
	node->min_vruntime_vns = node->p.vruntime_vns;
	node->min_slice_ns = node->max_slice_ns = node->p.slice_ns;
	learn_from(node, node->left);
	learn_from(node, node->right);
}

/* Splits @tree into what goes before @at and the rest. */
static void split(struct sim_entity *tree, const struct sim_entity *at, struct sim_entity **less,
		  struct sim_entity **more)
{
	if (!tree) {
		*less = *more = NULL;
	} else if (before(tree, at)) {
		*less = tree;
		split(tree->right, at, &tree->right, more);
		learn(tree);
	} else {
		*more = tree;
		split(tree->left, at, less, &tree->left);
		learn(tree);
	}
}

static struct sim_entity *insert(struct sim_entity *tree, struct sim_entity *entity)
{
	if (!tree || entity->priority > tree->priority) {
		split(tree, entity, &entity->left, &entity->right);
		learn(entity);
		return entity;
	}
	if (before(entity, tree))
		tree->left = insert(tree->left, entity);
	else
		tree->right = insert(tree->right, entity);
	learn(tree);
	return tree;
}

static struct sim_entity *merge(struct sim_entity *less, struct sim_entity *more)
{
	if (!less || !more)
		return less ? less : more;
	if (less->priority > more->priority) {
		less->right = merge(less->right, more);
		learn(less);
		return less;
	}
	more->left = merge(less, more->left);
	learn(more);
	return more;
}

static struct sim_entity *take(struct sim_entity *tree, const struct sim_entity *entity)
{
	assert(tree);
	if (tree == entity)
		return merge(tree->left, tree->right);
	if (before(entity, tree))
		tree->left = take(tree->left, entity);
	else
		tree->right = take(tree->right, entity);
	learn(tree);
	return tree;
}

static void refresh(struct sim_entity *tree, const struct sim_entity *entity)
{
	assert(tree);
	if (tree != entity)
		refresh(before(entity, tree) ? tree->left : tree->right, entity);
	learn(tree);
}

static struct sim_entity **root_of(struct sim_queue *queue, const struct sim_entity *entity)
{
	return entity->identity & POLICY_UNDERCLASS ? &queue->under.root : &queue->root;
}

void sim_tree_add(struct sim_queue *queue, struct sim_entity *entity)
{
	struct sim_entity **root = root_of(queue, entity);

	entity->order = ++queue->order;
	*root = insert(*root, entity);
}

void sim_tree_remove(struct sim_queue *queue, struct sim_entity *entity)
{
	struct sim_entity **root = root_of(queue, entity);

	*root = take(*root, entity);
	entity->left = entity->right = NULL;
}

void sim_tree_refresh(struct sim_queue *queue, struct sim_entity *entity)
{
	refresh(queue->root, entity);
}

static struct sim_entity *leftmost(struct sim_entity *node)
{
	while (node && node->left)
		node = node->left;
	return node;
}

struct sim_entity *sim_tree_first(const struct sim_queue *queue)
{
	return leftmost(queue->root);
}

struct sim_entity *sim_tree_first_under(const struct sim_queue *queue)
{
	return leftmost(queue->under.root);
}

struct sim_entity *sim_tree_next(struct sim_queue *queue, const struct sim_entity *entity)
{
	struct sim_entity *node = *root_of(queue, entity), *next = NULL;

	while (node) {
		if (before(entity, node)) {
			next = node;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return next;
}

struct sim_entity *sim_tree_eligible(const struct sim_queue *queue, const struct policy_avg *avg)
{
	struct sim_entity *node = queue->root;

	while (node) {
		if (node->left && policy_vruntime_eligible(avg, node->left->min_vruntime_vns))
			node = node->left;
		else if (policy_vruntime_eligible(avg, node->p.vruntime_vns))
			break;
		else
			node = node->right;
	}
	return node;
}
